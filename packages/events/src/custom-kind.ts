import * as z from 'zod/mini';

/**
 * The name of a kind (a type, a source, a role) that this package does not define. A kind of another package is namespaced
 * (`'acme/note'`); a kind from a newer version is any non-empty text. Values of such a kind are kept unchanged. Code that
 * narrows on known names never receives them.
 */
export type CustomKind = `${string}/${string}`;

/** The schema of a {@link CustomKind}: any non-empty text except the known names. */
export function customKindSchema(known: readonly string[] = []): z.ZodMiniType<CustomKind> {
  const others = new RegExp(`^(?!(?:${known.join('|')})$)[^]`);
  // With `abort`, a union reports every kind that was tried, and not only this one.
  const params = { error: 'expected a text that is not empty', abort: true };
  return z.string().check(z.regex(others, params)) as unknown as z.ZodMiniType<CustomKind>;
}

/** The schema of a name: one of the known names, or a kind that this version does not know. */
export function openEnum<const Known extends string>(
  known: readonly Known[],
): z.ZodMiniUnion<readonly [z.ZodMiniType<Known>, z.ZodMiniType<CustomKind>]> {
  return z.union([z.enum(known), customKindSchema(known)]);
}
