import { InvalidRequestError } from '../errors.js';
import type { HistoryRules } from '../wire/history-reader.js';

/** The type of the events that keep values without a neutral form: `path`, `reason` and the original `value`. */
export const setAsideType = 'openai/set-aside';

/** The parts that both of OpenAI's APIs share. */
export const historyRules: Omit<HistoryRules, 'mergesAnswers'> = {
  setAsideType,
  startsWithInstructions: true,
  needsCallIds: false,
  bindsThinking: false,
};

/** The reason why a tool is set aside. */
export const notAFunction = 'not a function that a model can call';

/** @throws {@link InvalidRequestError} when the value is not an array. */
export function assertArray(value: unknown, what: string): asserts value is readonly unknown[] {
  if (Array.isArray(value)) return;
  throw new InvalidRequestError(`openai: ${what} takes an array, not ${typeof value}`, { provider: 'openai' });
}
