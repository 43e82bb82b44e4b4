import * as z from 'zod/mini';

/**
 * The strict schema of a condenser's options. The members come from a function, so that a bundler drops the schema of a condenser
 * that nobody uses.
 *
 * @param checks Checks of several options together, made once each option is right by itself. Their messages say all that there is
 *   to say, the value included.
 */
export function optionsOf<Shape extends z.core.$ZodShape>(
  shape: () => Shape,
  ...checks: readonly OptionsCheck[]
): z.ZodMiniObject<Shape, z.core.$strict> {
  const schema = z.strictObject(shape());
  if (checks.length === 0) return schema;
  return schema.check((payload: z.core.ParsePayload<object>) => {
    if (payload.issues.length > 0) return;
    for (const check of checks) check(payload);
  });
}

/** A check of several options together, once each of them is right by itself. */
export type OptionsCheck = (payload: z.core.ParsePayload<object>) => void;

/** What an {@link OptionsCheck} adds to the issues: the option, and a message that says all, the value included. */
export function optionIssue(
  option: PropertyKey | PropertyKey[],
  message: string,
  input?: unknown,
): z.core.$ZodRawIssue {
  return { code: 'custom', path: [option].flat(), message, input, params: { isComplete: true } };
}

/** A whole number of at least `least`. */
export function wholeNumber(least: number): z.ZodMiniNumberFormat {
  const error = `must be a whole number of at least ${least}`;
  return z.int({ error }).check(z.minimum(least, { error }));
}

/** A share above 0 and below 1. */
export function fraction(): z.ZodMiniNumber<number> {
  const error = 'must be a number between 0 and 1';
  return z.number({ error }).check(z.gt(0, { error }), z.lt(1, { error }));
}

/** True or false. */
export function flag(): z.ZodMiniBoolean<boolean> {
  return z.boolean({ error: 'must be true or false' });
}

/** Text that says something: providers refuse blank text. */
export function nonBlankText(): z.ZodMiniString<string> {
  const error = 'must be text that is not blank';
  return z.string({ error }).check(z.regex(/\S/, { error }));
}

/** A list of tool names. */
export function toolNameList(): z.ZodMiniArray<z.ZodMiniString<string>> {
  return z.array(nonBlankText(), { error: 'must be a list of tool names' });
}

/** An object with methods: a model, a summariser. `method` tells it from other values. */
export function objectWith<Value extends object>(method: keyof Value & string): z.ZodMiniCustom<Value, Value> {
  return z.custom<Value>((value) => typeof (value as Partial<Value> | undefined)?.[method] === 'function', {
    error: `must be an object with \`${method}\``,
  });
}

/** A group of options, each with its default, so that the group may be left out. */
export function optionGroup<Shape extends z.core.$ZodShape>(
  shape: Shape,
): z.ZodMiniPrefault<z.ZodMiniObject<Shape, z.core.$strict>> {
  const error = 'must be a table of options';
  return z.prefault(z.strictObject(shape, { error }), {} as z.input<z.ZodMiniObject<Shape, z.core.$strict>>);
}
