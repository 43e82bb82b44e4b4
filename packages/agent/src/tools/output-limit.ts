import { assertCount, assertPositive } from '../option-checks.js';
import type { OutputStore } from './output-store.js';

/**
 * How much of a tool's output the model is shown. The part is chosen once, when the output comes, and is stored in the
 * observation: nothing is rewritten later. The whole text goes to the `store`, or else into the log; `readOutputTool` reads
 * both.
 */
export interface OutputLimit {
  /** Where whole texts of long outputs are kept. @defaultValue none: the log keeps them, as {@link WholeOutputEvent} */
  readonly store?: OutputStore;
  /**
   * The maximum length of an output that is shown whole. `Infinity`: only the window limits it. Unit: characters.
   * @defaultValue 30000
   */
  readonly maxCharacters?: number;
  /** How much is shown of a longer output. Unit: characters. @defaultValue `maxCharacters` */
  readonly previewCharacters?: number;
  /**
   * The share of the model's window that one output may take; the outputs of one response together may take three times as
   * much. An unknown window counts as 32,000 tokens. Unit: share, above 0 and at most 1. @defaultValue 0.1
   */
  readonly windowShare?: number;
}

/** How much of each output of one response is shown. Unit: characters. */
export interface ShownCharacters {
  /** The maximum length of a text that is shown whole. */
  readonly most: number;
  /** The length that is shown of a longer text. */
  readonly preview: number;
}

const defaultMaxCharacters = 30_000;
const defaultWindowShare = 0.1;
/** The window of servers that do not declare one. Unit: tokens. */
const assumedWindow = 32_000;
/** As in the view's estimate. */
const charactersPerToken = 4;
/** The outputs of one response may together be as long as so many single ones. */
const outputsInOne = 3;
/** Each output may have so many, also when the outputs of very many calls exceed the limit together. Unit: characters. */
const leastShown = 400;

/**
 * How much of each output is shown.
 *
 * @param contextWindow - the model's window less its answer; undefined if not known. Unit: tokens.
 * @param calls - the number of calls in the response
 */
export function shownCharacters(
  { maxCharacters = defaultMaxCharacters, previewCharacters = Infinity, windowShare = defaultWindowShare }: OutputLimit,
  contextWindow: number | undefined,
  calls: number,
): ShownCharacters {
  const inWindow = Math.floor((contextWindow ?? assumedWindow) * charactersPerToken * windowShare);
  const one = Math.min(maxCharacters, inWindow);
  const most = Math.min(one, Math.max(leastShown, Math.floor((one * outputsInOne) / Math.max(1, calls))));
  return { most, preview: Math.min(previewCharacters, most) };
}

/** @throws RangeError when a number is out of range. */
export function assertOutputLimit({ maxCharacters, previewCharacters, windowShare }: OutputLimit = {}): void {
  if (maxCharacters !== Infinity) assertCount('output.maxCharacters', maxCharacters, 0);
  assertCount('output.previewCharacters', previewCharacters, 0);
  assertPositive('output.windowShare', windowShare);
  if ((windowShare ?? 0) > 1) throw new RangeError(`output.windowShare must be at most 1, not ${windowShare}.`);
}
