import { assertCount, assertPositive } from '../option-checks.js';
import type { OutputStore } from './output-store.js';

/**
 * How much of a tool's output the model is shown. The part is chosen once, when the output comes, and stands in the
 * observation: nothing is rewritten later. The whole text goes to the `store`, or else into the log, and `readOutputTool`
 * reads it from either.
 */
export interface OutputLimit {
  /** Where whole texts go that are longer. @defaultValue none: they stand in the log, as {@link WholeOutputEvent} */
  readonly store?: OutputStore;
  /** The longest output that is shown whole. `Infinity`: only the window limits it. Unit: characters. @defaultValue 30000 */
  readonly maxCharacters?: number;
  /** How much is shown of an output that is longer than that. Unit: characters. @defaultValue as much as may be shown whole */
  readonly previewCharacters?: number;
  /**
   * No output is shown with more than this share of the model's window, and those of one response together with no more than
   * three times as much. Where the window is not known, it is taken for 32,000 tokens. Unit: share, above 0 and at most 1.
   * @defaultValue 0.1
   */
  readonly windowShare?: number;
}

/** How much of each output of one response is shown. Unit: characters. */
export interface ShownCharacters {
  /** A longer text is cut. */
  readonly most: number;
  /** What is shown of a text that is cut. */
  readonly preview: number;
}

const defaultMaxCharacters = 30_000;
const defaultWindowShare = 0.1;
/** Small enough for the servers that do not say how large their window is. Unit: tokens. */
const assumedWindow = 32_000;
/** As the view estimates. */
const charactersPerToken = 4;
/** The outputs of one response together: as much as so many single ones. */
const outputsInOne = 3;
/** With very many calls in one response, the outputs together may be more, so that each says something. Unit: characters. */
const leastShown = 400;

/**
 * How much of each output is shown.
 *
 * @param contextWindow - the model's window less its answer; undefined where it is not known. Unit: tokens.
 * @param calls - how many calls the response has
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

/** @throws RangeError when a number makes no sense. */
export function assertOutputLimit({ maxCharacters, previewCharacters, windowShare }: OutputLimit = {}): void {
  if (maxCharacters !== Infinity) assertCount('output.maxCharacters', maxCharacters, 0);
  assertCount('output.previewCharacters', previewCharacters, 0);
  assertPositive('output.windowShare', windowShare);
  if ((windowShare ?? 0) > 1) throw new RangeError(`output.windowShare must be at most 1, not ${windowShare}.`);
}
