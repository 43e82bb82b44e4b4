import type { CreateEvent } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import * as z from 'zod/mini';
import { InvalidCondenserConfigError } from '../authoring/errors.js';
import { modelCallOptions } from '../authoring/options/model-call-options.js';
import type { ModelCallOptions } from '../authoring/options/model-call-options.js';
import {
  flag,
  optionGroup,
  optionIssue,
  optionsOf,
  toolNameList,
  wholeNumber,
} from '../authoring/options/option-schemas.js';
import type { OptionsCheck } from '../authoring/options/option-schemas.js';
import type { Summarizer } from '../authoring/summaries/summarizer.js';
import { usualFinishTools } from './run-state.js';
import { condenserName } from './window-record.js';

/** Options of {@link slidingWindowCondenser}. */
export interface SlidingWindowOptions {
  /**
   * So many completed invocations that no summary speaks of make a window. Goes with `overlapSize`. Unit: invocations, at least 1.
   * @defaultValue none: windows are made by `tokenThreshold` alone
   */
  readonly compactionInterval?: number | undefined;
  /** How many invocations of the window before are read again with the new ones. Unit: invocations. @defaultValue none */
  readonly overlapSize?: number | undefined;
  /**
   * As soon as the next model call would be sent so many tokens, what is older than the newest events is rolled up. Goes with
   * `eventRetentionSize`. Unit: tokens. @defaultValue none
   */
  readonly tokenThreshold?: number | undefined;
  /** How many of the newest events stay then, at least. Unit: events. @defaultValue none */
  readonly eventRetentionSize?: number | undefined;
  /** More summaries than this are rolled up into one with the next window. Unit: summaries, at least 1. @defaultValue 10 */
  readonly maxSummaries?: number | undefined;
  /** The model that writes the summaries. One of `llm` and `summarizer` is needed. */
  readonly llm?: LLM | undefined;
  /** Writes the summaries, in the place of `llm`. */
  readonly summarizer?: Summarizer | undefined;
  /** Another name for `summarizer`, by which it is known too. Only one of the two may be given. */
  readonly compactor?: Summarizer | undefined;
  /** How long a summary is asked to be at most. Unit: tokens. @defaultValue 2000 */
  readonly maxSummaryTokens?: number | undefined;
  /** How the model is asked; of a summariser of your own, `timeoutMs` alone counts. @defaultValue with {@link windowSummaryTemplate} */
  readonly modelCall?: ModelCallOptions | undefined;
  /** The tools that end a run. @defaultValue `finish` */
  readonly finishTools?: readonly string[] | undefined;
  /**
   * Has summaries written while the agent goes on, and puts them in at a later step; only a view over the model's window, or a
   * request, waits. After a restart it begins again. @defaultValue false
   */
  readonly background?: boolean | undefined;
  /** Makes the condensations. @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent | undefined;
}

/** Checks that of two options that are of use only together both are given, and that one pair is there. */
const pairs: OptionsCheck = ({ value, issues }) => {
  const options = value as SlidingWindowOptions;
  const { compactionInterval, overlapSize, tokenThreshold, eventRetentionSize } = options;
  const missing = (option: keyof SlidingWindowOptions, reason: string): void =>
    void issues.push(optionIssue(option, `is missing: ${reason}`));
  if (Object.values({ compactionInterval, overlapSize, tokenThreshold, eventRetentionSize }).every(isUndefined)) {
    missing(
      'compactionInterval',
      `give it and 'overlapSize', or 'tokenThreshold' and 'eventRetentionSize', or all four`,
    );
  }
  for (const [first, second] of [
    ['compactionInterval', 'overlapSize'],
    ['tokenThreshold', 'eventRetentionSize'],
  ] as const) {
    if (isUndefined(options[first]) === isUndefined(options[second])) continue;
    if (isUndefined(options[second])) missing(second, `'${first}' needs it`);
    else missing(first, `'${second}' is of no use without it`);
  }
};

/** The schema of {@link SlidingWindowOptions}, but for the parts that are code. */
export function windowOptions() {
  return optionsOf(
    () => ({
      compactionInterval: z.optional(wholeNumber(1)),
      overlapSize: z.optional(wholeNumber(0)),
      tokenThreshold: z.optional(wholeNumber(1)),
      eventRetentionSize: z.optional(wholeNumber(0)),
      maxSummaries: z._default(wholeNumber(1), 10),
      maxSummaryTokens: z._default(wholeNumber(1), 2_000),
      finishTools: z._default(z.readonly(toolNameList()), usualFinishTools),
      background: z._default(flag(), false),
      modelCall: optionGroup(modelCallOptions(10_000)),
    }),
    pairs,
  );
}

/** The options with their defaults. */
export type CheckedOptions = z.output<ReturnType<typeof windowOptions>>;

/** What a sliding window goes by. */
export interface WindowSettings extends CheckedOptions {
  readonly summarizer: Summarizer;
  readonly createEvent: CreateEvent | undefined;
}

/**
 * The summariser that is given in the place of a model; undefined where a model is given.
 *
 * @throws {@link InvalidCondenserConfigError} when there is nobody or more than one to write summaries.
 */
export function ownSummarizer(
  writers: Pick<SlidingWindowOptions, 'llm' | 'summarizer' | 'compactor'>,
): Summarizer | undefined {
  const { llm, summarizer, compactor } = writers;
  if (summarizer !== undefined && compactor !== undefined) {
    throw invalid('compactor', `is another name for 'summarizer': give one of them`);
  }
  const [option, own] = compactor === undefined ? ['summarizer', summarizer] : ['compactor', compactor];
  if (own === undefined && llm === undefined) throw invalid('llm', `is missing: give a model, or a 'summarizer'`);
  if (own === undefined) return undefined;
  if (llm !== undefined) throw invalid(option, `takes the place of 'llm': give one of them`);
  if (typeof own.summarize !== 'function') throw invalid(option, `must be an object with 'summarize'`);
  return own;
}

/** The error of a prompt that nobody would be asked. */
export function promptWithoutModel(option: 'summarizer' | 'compactor'): InvalidCondenserConfigError {
  return invalid('modelCall.prompt', `is for 'llm'; give it to the '${option}', as in llmSummarizer({ llm, prompt })`);
}

function isUndefined(value: unknown): value is undefined {
  return value === undefined;
}

function invalid(option: string, reason: string): InvalidCondenserConfigError {
  return new InvalidCondenserConfigError({ condenser: condenserName, option, reason });
}
