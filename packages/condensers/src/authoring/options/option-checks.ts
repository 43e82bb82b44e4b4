import type { LLM } from '@palimpsest/llm-adapters';
import { InvalidCondenserConfigError } from '../errors.js';

/**
 * Checks that an option is a whole number that is large enough.
 *
 * @throws {@link InvalidCondenserConfigError} when it is not.
 */
export function assertWholeNumber(condenser: string, option: string, value: number, atLeast: number): void {
  if (Number.isSafeInteger(value) && value >= atLeast) return;
  throw new InvalidCondenserConfigError({
    condenser,
    option,
    reason: `must be a whole number of at least ${atLeast}, not ${value}`,
  });
}

/**
 * How many of the first events stay: 4, or what `maxSize` leaves room for, unless it is said.
 *
 * @throws {@link InvalidCondenserConfigError} when half of `maxSize` has no room for them, a summary and an event.
 */
export function checkedKeepFirst(condenser: string, maxSize: number, keepFirst?: number): number {
  assertWholeNumber(condenser, 'maxSize', maxSize, 4);
  const most = Math.floor(maxSize / 2) - 2;
  if (keepFirst === undefined) return Math.min(4, most);
  assertWholeNumber(condenser, 'keepFirst', keepFirst, 0);
  if (keepFirst <= most) return keepFirst;
  const reason = `may be at most ${most} with a 'maxSize' of ${maxSize}, so that half of it has room for a summary and an event too; ${keepFirst} needs a 'maxSize' of at least ${2 * (keepFirst + 2)}`;
  throw new InvalidCondenserConfigError({ condenser, option: 'keepFirst', reason });
}

/** Checks what the condensers have in common that ask a model. @throws {@link InvalidCondenserConfigError} */
export function assertAskable(
  condenser: string,
  options: {
    readonly llm: LLM;
    readonly timeoutMs: number;
    readonly maxEventCharacters: number;
    readonly maxOutputTokens: number | undefined;
  },
): void {
  const { llm, timeoutMs, maxEventCharacters, maxOutputTokens } = options;
  assertWholeNumber(condenser, 'timeoutMs', timeoutMs, 1);
  assertWholeNumber(condenser, 'maxEventCharacters', maxEventCharacters, 100);
  if (maxOutputTokens !== undefined) assertWholeNumber(condenser, 'maxOutputTokens', maxOutputTokens, 1);
  // A program in JavaScript may give anything.
  if (typeof (llm as Partial<LLM> | undefined)?.complete === 'function') return;
  throw new InvalidCondenserConfigError({ condenser, option: 'llm', reason: 'must be a model with `complete`' });
}

/** Checks what stands in the place of masked text: providers refuse blank text. @throws {@link InvalidCondenserConfigError} */
export function assertPlaceholder(condenser: string, placeholder: string | undefined): void {
  if (placeholder === undefined || (typeof placeholder === 'string' && placeholder.trim() !== '')) return;
  throw new InvalidCondenserConfigError({ condenser, option: 'placeholder', reason: 'must be text that is not blank' });
}
