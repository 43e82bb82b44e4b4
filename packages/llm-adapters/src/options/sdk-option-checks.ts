import { isCount, isEffort, isFunction, isObject, isText } from './checked-options.js';
import type { OptionCheck, OptionChecks } from './checked-options.js';
import type { RetryOptions } from '../retry.js';
import type { SdkLLMOptions } from '../sdk-llm.js';
import { field, isRecord } from '../wire/json-fields.js';

/** The names of `RetryOptions`; its numbers are checked where they are used. */
const retryNames = Object.keys({
  attempts: true,
  maxTotalMs: true,
  minDelayMs: true,
  maxDelayMs: true,
  maxRetryAfterMs: true,
  onRetry: true,
} satisfies Record<keyof RetryOptions, true>);

const isRetry: OptionCheck = (value) => {
  const unknown = isRecord(value) ? Object.keys(value).find((name) => !retryNames.includes(name)) : undefined;
  if (unknown !== undefined) return `an object of ${retryNames.join(', ')}: there is no option retry.${unknown}`;
  const onRetry = field(value, 'onRetry');
  return (
    isObject(value) ??
    (onRetry === undefined || isFunction(onRetry) === undefined ? undefined : 'with a function onRetry')
  );
};

/** The checks of the options that every adapter has. */
export const sdkOptionChecks: OptionChecks<SdkLLMOptions> = {
  // Which name is missing is said by `assertModel`.
  model: () => undefined,
  apiKey: isText,
  baseURL: isText,
  headers: isObject,
  maxOutputTokens: isCount,
  effort: isEffort,
  contextWindow: isCount,
  facts: isObject,
  prices: isObject,
  // What is wrong with the number is said where it is used.
  timeoutMs: (value) => (typeof value === 'number' ? undefined : 'a number of milliseconds'),
  retry: isRetry,
  now: isFunction,
  importModule: isFunction,
};
