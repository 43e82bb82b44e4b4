import { InvalidRequestError } from './errors.js';
import { isRecord } from './wire/json-fields.js';

/** A check that returns what a value must be; undefined for a value that is right. */
export type OptionCheck = (value: unknown) => string | undefined;

/** A check for every option, so that the compiler asks for that of a new one. */
export type OptionChecks<Options> = { readonly [Name in keyof Required<Options>]: OptionCheck };

/**
 * Checks options at run time: a misspelt name does nothing, and nobody would notice. An option that is undefined is absent.
 *
 * @throws {@link InvalidRequestError} naming the option, and the names that there are.
 */
export function assertOptions<Options extends object>(
  options: Options,
  checks: OptionChecks<Options>,
  provider: string,
): void {
  const refuse = (words: string): never => {
    throw new InvalidRequestError(`${provider}: ${words}`, { provider });
  };
  if (!isRecord(options)) refuse('the options must be an object');
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(checks, name)) refuse(`there is no option ${name}, only ${Object.keys(checks).join(', ')}`);
    const wanted = checks[name as keyof Options](value);
    if (wanted !== undefined) refuse(`the option ${name} must be ${wanted}`);
  }
}

export const isText: OptionCheck = (value) => (typeof value === 'string' ? undefined : 'a text');
export const isFunction: OptionCheck = (value) => (typeof value === 'function' ? undefined : 'a function');
export const isBoolean: OptionCheck = (value) => (typeof value === 'boolean' ? undefined : 'true or false');
export const isObject: OptionCheck = (value) => (isRecord(value) && !Array.isArray(value) ? undefined : 'an object');
export const isCount: OptionCheck = (value) =>
  Number.isInteger(value) && Number(value) >= 1 ? undefined : 'a whole number of at least 1';
export const isOneOf =
  (...values: readonly string[]): OptionCheck =>
  (value) =>
    values.some((one) => one === value) ? undefined : `one of ${values.join(', ')}`;
export const isEffort = isOneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max');
