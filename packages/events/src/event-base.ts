import * as z from 'zod/mini';

/** The schema of a text that is not empty. */
export const nonEmptyString = z.string().check(z.minLength(1));

/**
 * The name of a kind (a type, a source, a role) that this package does not define. A kind of another package is namespaced
 * (`'acme/note'`); a kind from a newer version is any non-empty text. Values of such a kind are kept unchanged. Code that
 * narrows on known names never receives them.
 */
export type CustomKind = `${string}/${string}`;

/** Returns the schema of a {@link CustomKind}: any non-empty text except the known names. */
export function customKindSchema(known: readonly string[] = []): z.ZodMiniType<CustomKind> {
  const others = new RegExp(`^(?!(?:${known.join('|')})$)[^]`);
  // With `abort`, a union reports every kind that was tried, and not only this one.
  const params = { error: 'expected a text that is not empty', abort: true };
  return z.string().check(z.regex(others, params)) as unknown as z.ZodMiniType<CustomKind>;
}

/** Returns the schema of a name: one of the known names, or a kind that this version does not know. */
export function openEnum<const Known extends string>(
  known: readonly Known[],
): z.ZodMiniUnion<readonly [z.ZodMiniType<Known>, z.ZodMiniType<CustomKind>]> {
  return z.union([z.enum(known), customKindSchema(known)]);
}

/** `T` with every property and every array in it read-only, however deep. */
export type Immutable<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Immutable<Item>[]
    : unknown extends T
      ? T
      : { readonly [Key in keyof T]: Immutable<T[Key]> };

/** The name of one event in one log. This package makes UUIDv7 ids and reads any non-empty string. */
export type EventId = string;

/**
 * The origin of an event. Never inferred from the role in which a model reads it. A source that this version does not
 * know does not change what a model reads, and never counts as the user.
 */
export type EventSource = 'user' | 'agent' | 'environment' | CustomKind;

/**
 * The schema of {@link EventBase}, of zod/mini. A schema of an event of your own holds its shape, in zod and in zod/mini.
 *
 * @example
 * ```ts
 * z.object({ ...eventBaseSchema.shape, type: z.literal('acme/note'), text: z.string() });
 * ```
 */
export const eventBaseSchema = z.object({
  type: nonEmptyString,
  id: nonEmptyString,
  timestamp: nonEmptyString,
  source: openEnum(['user', 'agent', 'environment']),
});

/** The fields of every event. */
export interface EventBase {
  readonly type: string;
  readonly id: EventId;
  /** The time of the event: ISO 8601, UTC when we make it. */
  readonly timestamp: string;
  readonly source: EventSource;
}
