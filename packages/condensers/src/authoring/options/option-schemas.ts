import * as z from 'zod/mini';

/**
 * The strict schema of a condenser's options. The members come from a function, so that a bundler drops the schemas of unused
 * condensers.
 *
 * @param checks Checks across several options, run after each option is valid by itself. Their messages are complete and include
 *   the value.
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

/** A check across several options, run after each of them is valid by itself. */
export type OptionsCheck = (payload: z.core.ParsePayload<object>) => void;

/** The issue that an {@link OptionsCheck} adds: the option, and a complete message that includes the value. */
export function optionIssue(
  option: PropertyKey | PropertyKey[],
  message: string,
  input?: unknown,
): z.core.$ZodRawIssue {
  return { code: 'custom', path: [option].flat(), message, input, params: { isComplete: true } };
}

/** The schema of a whole number of at least `least`. */
export function wholeNumber(least: number): z.ZodMiniNumberFormat {
  const error = `must be a whole number of at least ${least}`;
  return z.int({ error }).check(z.minimum(least, { error }));
}

/** The schema of a share above 0 and below 1. */
export function fraction(): z.ZodMiniNumber<number> {
  const error = 'must be a number between 0 and 1';
  return z.number({ error }).check(z.gt(0, { error }), z.lt(1, { error }));
}

/** The schema of a boolean. */
export function flag(): z.ZodMiniBoolean<boolean> {
  return z.boolean({ error: 'must be true or false' });
}

/** The schema of a text that is not blank: providers refuse blank text. */
export function nonBlankText(): z.ZodMiniString<string> {
  const error = 'must be text that is not blank';
  return z.string({ error }).check(z.regex(/\S/, { error }));
}

/** The schema of a list of tool names. */
export function toolNameList(): z.ZodMiniArray<z.ZodMiniString<string>> {
  return z.array(nonBlankText(), { error: 'must be a list of tool names' });
}

/** The schema of an object with methods: a model, a summariser. `method` distinguishes it from other values. */
export function objectWith<Value extends object>(method: keyof Value & string): z.ZodMiniCustom<Value, Value> {
  return z.custom<Value>((value) => typeof (value as Partial<Value> | undefined)?.[method] === 'function', {
    error: `must be an object with \`${method}\``,
  });
}

/** The schema of a group of options. Each has a default, so the group is optional. */
export function optionGroup<Shape extends z.core.$ZodShape>(
  shape: Shape,
): z.ZodMiniPrefault<z.ZodMiniObject<Shape, z.core.$strict>> {
  const error = 'must be a table of options';
  return z.prefault(z.strictObject(shape, { error }), {} as z.input<z.ZodMiniObject<Shape, z.core.$strict>>);
}
