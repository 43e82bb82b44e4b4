import * as z from 'zod/mini';

/**
 * Returns the strict schema of a condenser's options. The members come from a function, so that a bundler drops the schemas of unused
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

/** Returns the issue that an {@link OptionsCheck} adds: the option, and a complete message that includes the value. */
export function optionIssue(
  option: PropertyKey | PropertyKey[],
  message: string,
  input?: unknown,
): z.core.$ZodRawIssue {
  return { code: 'custom', path: [option].flat(), message, input, params: { isComplete: true } };
}

/** Returns the schema of a whole number of at least `least`. */
export function wholeNumber(least: number): z.ZodMiniNumberFormat {
  const error = `must be a whole number of at least ${least}`;
  return z.int({ error }).check(z.minimum(least, { error }));
}

/** Returns the schema of a share above 0 and below 1. */
export function fraction(): z.ZodMiniNumber<number> {
  const error = 'must be a number between 0 and 1';
  return z.number({ error }).check(z.gt(0, { error }), z.lt(1, { error }));
}

/** Returns the schema of a boolean. */
export function flag(): z.ZodMiniBoolean<boolean> {
  return z.boolean({ error: 'must be true or false' });
}

/** Returns the schema of a text that is not blank: providers refuse blank text. */
export function nonBlankText(): z.ZodMiniString<string> {
  const error = 'must be text that is not blank';
  return z.string({ error }).check(z.regex(/\S/, { error }));
}

/** Returns the schema of a list of tool names. */
export function toolNameList(): z.ZodMiniArray<z.ZodMiniString<string>> {
  return z.array(nonBlankText(), { error: 'must be a list of tool names' });
}

/** Returns the schema of an object with methods: a model, a summariser. `method` distinguishes it from other values. */
export function objectWith<Value extends object>(method: keyof Value & string): z.ZodMiniCustom<Value, Value> {
  return z.custom<Value>((value) => typeof (value as Partial<Value> | undefined)?.[method] === 'function', {
    error: `must be an object with \`${method}\``,
  });
}

/** Returns the schema of a group of options. Each has a default, so the group is optional. */
export function optionGroup<Shape extends z.core.$ZodShape>(
  shape: Shape,
): z.ZodMiniPrefault<z.ZodMiniObject<Shape, z.core.$strict>> {
  const error = 'must be a table of options';
  return z.prefault(z.strictObject(shape, { error }), {} as z.input<z.ZodMiniObject<Shape, z.core.$strict>>);
}

/** The triggers of a rolling condenser, and how much it keeps. */
export interface SizeOptions {
  /** A view with more events is condensed to half of this number. Unit: events. @defaultValue 120 */
  readonly maxSize?: number | undefined;
  /** The number of first events that stay. Unit: events. @defaultValue 4, or fewer if `maxSize` leaves less room */
  readonly keepFirst?: number | undefined;
  /**
   * A view with more tokens is condensed to half of this number. Unit: tokens. @defaultValue the room in the model's window, if
   * known
   */
  readonly maxTokens?: number | undefined;
}

/** The room that half of `maxSize` leaves behind the first events. */
type Behind = 'an event' | 'a summary and an event';

/**
 * Returns the schemas of {@link SizeOptions}. `keepFirst` is used with {@link roomBehindFirst}, and without a value with {@link
 * defaultKeepFirst}.
 */
export function sizeOptions(leastSize: number): {
  readonly maxSize: z.ZodMiniDefault<z.ZodMiniNumberFormat>;
  readonly keepFirst: z.ZodMiniOptional<z.ZodMiniNumberFormat>;
  readonly maxTokens: z.ZodMiniOptional<z.ZodMiniNumberFormat>;
} {
  return {
    maxSize: z._default(wholeNumber(leastSize), 120),
    keepFirst: z.optional(wholeNumber(0)),
    maxTokens: z.optional(wholeNumber(1)),
  };
}

/** Checks that half of `maxSize` has room for the first events and for the events behind them. */
export function roomBehindFirst(behind: Behind): OptionsCheck {
  return ({ value, issues }) => {
    const { maxSize = 0, keepFirst = 0 } = value as SizeOptions;
    const most = mostFirst(maxSize, behind);
    if (keepFirst <= most) return;
    const least = 2 * (keepFirst + placesFor(behind));
    const reason = `so that half of it has room for ${behind} too; ${keepFirst} needs a 'maxSize' of at least ${least}`;
    issues.push(
      optionIssue('keepFirst', `may be at most ${most} with a 'maxSize' of ${maxSize}, ${reason}`, keepFirst),
    );
  };
}

/** Returns the default number of first events that stay: 4, or fewer if `maxSize` leaves less room. Unit: events. */
export function defaultKeepFirst(maxSize: number, behind: Behind): number {
  return Math.min(4, mostFirst(maxSize, behind));
}

function mostFirst(maxSize: number, behind: Behind): number {
  return Math.floor(maxSize / 2) - placesFor(behind);
}

function placesFor(behind: Behind): number {
  return behind === 'an event' ? 1 : 2;
}
