import type { CreateEvent } from '@palimpsest/events';
import { defaultTimeoutMs } from '../authoring/model/deadline.js';
import { InvalidCondenserConfigError } from '../authoring/errors.js';
import { assertWholeNumber } from '../authoring/options/option-checks.js';
import { llmSummarizer } from '../authoring/summaries/summarizer.js';
import type { Summarizer } from '../authoring/summaries/summarizer.js';
import { usualFinishTools } from './run-state.js';
import type { SlidingWindowOptions } from './sliding-window.js';
import { condenserName } from './window-record.js';
import { windowSummaryTemplate } from './window-summary.prompt.js';

/** The options of a sliding window, complete and checked. */
export interface CheckedOptions {
  readonly invocations: { readonly interval: number; readonly overlap: number } | undefined;
  readonly tokens: { readonly threshold: number; readonly retention: number } | undefined;
  readonly maxSummaries: number;
  readonly summarizer: Summarizer;
  readonly maxSummaryTokens: number;
  readonly timeoutMs: number;
  readonly finishTools: readonly string[];
  readonly createEvent: CreateEvent | undefined;
}

/** @throws {@link InvalidCondenserConfigError} when options are missing, contradict each other, or are out of range. */
export function checkedOptions(options: SlidingWindowOptions): CheckedOptions {
  const { maxSummaries = 10, maxSummaryTokens = 2_000, timeoutMs = defaultTimeoutMs } = options;
  const invocations = pair(options, ['compactionInterval', 1], ['overlapSize', 0]);
  const tokens = pair(options, ['tokenThreshold', 1], ['eventRetentionSize', 0]);
  if (invocations === undefined && tokens === undefined) {
    throw invalid(
      'compactionInterval',
      `is missing: give it and 'overlapSize', or 'tokenThreshold' and 'eventRetentionSize', or all four`,
    );
  }
  assertWholeNumber(condenserName, 'maxSummaries', maxSummaries, 1);
  assertWholeNumber(condenserName, 'maxSummaryTokens', maxSummaryTokens, 1);
  assertWholeNumber(condenserName, 'timeoutMs', timeoutMs, 1);
  return {
    invocations: invocations && { interval: invocations[0], overlap: invocations[1] },
    tokens: tokens && { threshold: tokens[0], retention: tokens[1] },
    maxSummaries,
    summarizer: summarizerOf(options, timeoutMs),
    maxSummaryTokens,
    timeoutMs,
    finishTools: options.finishTools ?? usualFinishTools,
    createEvent: options.createEvent,
  };
}

type NumberOption = 'compactionInterval' | 'overlapSize' | 'tokenThreshold' | 'eventRetentionSize';

/** Two options that are of use only together. */
function pair(
  options: SlidingWindowOptions,
  ...[[first, leastFirst], [second, leastSecond]]: [[NumberOption, number], [NumberOption, number]]
): readonly [number, number] | undefined {
  const { [first]: a, [second]: b } = options;
  if (a !== undefined) assertWholeNumber(condenserName, first, a, leastFirst);
  if (b !== undefined) assertWholeNumber(condenserName, second, b, leastSecond);
  if (a !== undefined && b !== undefined) return [a, b];
  if (a !== undefined) throw invalid(second, `is missing: '${first}' needs it`);
  if (b !== undefined) throw invalid(first, `is missing: '${second}' is of no use without it`);
  return undefined;
}

function summarizerOf({ llm, prompt, summarizer, compactor }: SlidingWindowOptions, timeoutMs: number): Summarizer {
  if (summarizer !== undefined && compactor !== undefined) {
    throw invalid('compactor', `is another name for 'summarizer': give one of them`);
  }
  const [option, own] = compactor === undefined ? ['summarizer', summarizer] : ['compactor', compactor];
  if (own === undefined) {
    if (llm === undefined) throw invalid('llm', `is missing: give a model, or a 'summarizer'`);
    return llmSummarizer({ llm, prompt: prompt ?? windowSummaryTemplate, timeoutMs });
  }
  if (llm !== undefined) throw invalid(option, `takes the place of 'llm': give one of them`);
  if (prompt !== undefined) {
    throw invalid('prompt', `is for 'llm'; give it to the '${option}', as in llmSummarizer({ llm, prompt })`);
  }
  if (typeof own.summarize !== 'function') throw invalid(option, `must be an object with 'summarize'`);
  return own;
}

function invalid(option: string, reason: string): InvalidCondenserConfigError {
  return new InvalidCondenserConfigError({ condenser: condenserName, option, reason });
}
