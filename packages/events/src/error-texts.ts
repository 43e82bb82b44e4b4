import * as z from 'zod/mini';
import { en } from 'zod/locales';

const english = en().localeError;

/**
 * The error texts of schemas: the locale that the program has set for zod, else English. Without a locale, zod/mini only says
 * that an input is invalid. Pass the result as the second argument of `safeParse`.
 */
export function errorTexts(): z.core.ParseContext<z.core.$ZodIssue> {
  const { localeError, customError } = z.config();
  return localeError === undefined && customError === undefined ? { error: english } : {};
}
