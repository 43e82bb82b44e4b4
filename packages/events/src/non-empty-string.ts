import * as z from 'zod/mini';

/** The schema of a text that is not empty. */
export const nonEmptyString = z.string().check(z.minLength(1));
