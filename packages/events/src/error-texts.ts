import * as z from 'zod/mini';
import { en } from 'zod/locales';

const english = en().localeError;

/**
 * The texts in which a schema says what is wrong: those that the program has chosen for zod, else English. zod/mini by itself
 * says no more than that an input is invalid. For the second argument of `safeParse`.
 */
export function errorTexts(): z.core.ParseContext<z.core.$ZodIssue> {
  const { localeError, customError } = z.config();
  return localeError === undefined && customError === undefined ? { error: english } : {};
}
