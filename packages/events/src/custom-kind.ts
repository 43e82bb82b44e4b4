import * as z from 'zod/mini';

/**
 * The name of a kind (a type, a source, a role) that this package does not define. A package's own is namespaced
 * (`'acme/note'`); one from a newer version is any text that is not empty. What has such a name is kept as it is, and code
 * that narrows on the names it knows never meets it.
 */
export type CustomKind = `${string}/${string}`;

/** The schema of a {@link CustomKind}: any text that is not empty, besides the names that are known. */
export function customKindSchema(known: readonly string[] = []): z.ZodMiniType<CustomKind> {
  const others = new RegExp(`^(?!(?:${known.join('|')})$)[^]`);
  // It aborts, so that a union tells of every kind that was tried and not of this one alone.
  const params = { error: 'expected a text that is not empty', abort: true };
  return z.string().check(z.regex(others, params)) as unknown as z.ZodMiniType<CustomKind>;
}

/** The schema of a name that is one of some, or of a kind that this version does not know. */
export function openEnum<const Known extends string>(
  known: readonly Known[],
): z.ZodMiniUnion<readonly [z.ZodMiniType<Known>, z.ZodMiniType<CustomKind>]> {
  return z.union([z.enum(known), customKindSchema(known)]);
}
