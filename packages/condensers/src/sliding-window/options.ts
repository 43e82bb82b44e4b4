import type { CreateEvent } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import * as z from 'zod/mini';
import { InvalidCondenserConfigError } from '../authoring/definition/errors.js';
import {
  flag,
  optionGroup,
  optionIssue,
  optionsOf,
  toolNameList,
  wholeNumber,
} from '../authoring/definition/option-schemas.js';
import type { OptionsCheck } from '../authoring/definition/option-schemas.js';
import { modelCallOptions } from '../authoring/model/call-model.js';
import type { ModelCallOptions } from '../authoring/model/call-model.js';
import type { Summarizer } from '../authoring/summaries/summarizer.js';
import { condenserName, usualFinishTools } from './timeline.js';

/** Options of {@link slidingWindowCondenser}. */
export interface SlidingWindowOptions {
  /**
   * The number of completed invocations without a summary that make a window. Used with `overlapSize`. Unit: invocations, at
   * least 1.
   * @defaultValue none: windows are made by `tokenThreshold` alone
   */
  readonly compactionInterval?: number | undefined;
  /** The number of invocations of the previous window that are read again. Unit: invocations. @defaultValue none */
  readonly overlapSize?: number | undefined;
  /**
   * The size of the next model call from which everything older than the newest events is rolled up. Used with
   * `eventRetentionSize`. Unit: tokens. @defaultValue none
   */
  readonly tokenThreshold?: number | undefined;
  /** The minimum number of newest events that then stay. Unit: events. @defaultValue none */
  readonly eventRetentionSize?: number | undefined;
  /** A larger number of summaries is rolled up into one with the next window. Unit: summaries, at least 1. @defaultValue 10 */
  readonly maxSummaries?: number | undefined;
  /** The model that writes the summaries. Either `llm` or `summarizer` is required. */
  readonly llm?: LLM | undefined;
  /** The summariser to use instead of `llm`. */
  readonly summarizer?: Summarizer | undefined;
  /** An alias of `summarizer`. Only one of the two may be given. */
  readonly compactor?: Summarizer | undefined;
  /** The maximum length that a summary is asked for. Unit: tokens. @defaultValue 2000 */
  readonly maxSummaryTokens?: number | undefined;
  /**
   * The settings of the model call; for a custom summariser only `timeoutMs` applies. @defaultValue with {@link
   * windowSummaryTemplate}
   */
  readonly modelCall?: ModelCallOptions | undefined;
  /** The tools that end a run. @defaultValue `finish` */
  readonly finishTools?: readonly string[] | undefined;
  /**
   * Writes summaries in the background and inserts them at a later step. Only a view over the model's window, or a request,
   * waits. After a restart the summary starts again.
   * @defaultValue true where the host passes `onPending`, as a `Conversation` does; elsewhere a step waits for its summary
   */
  readonly background?: boolean | undefined;
  /** Creates the condensations. @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent | undefined;
}

/** Checks that both options of each pair are given, and that at least one pair is given. */
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
    else missing(first, `'${second}' has no effect without it`);
  }
};

/** Returns the schema of {@link SlidingWindowOptions}, except the parts that are code. */
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
      background: z.optional(flag()),
      modelCall: optionGroup(modelCallOptions(10_000)),
    }),
    pairs,
  );
}

/** The options with their defaults. */
export type CheckedOptions = z.output<ReturnType<typeof windowOptions>>;

/** The settings of a sliding window. */
export interface WindowSettings extends CheckedOptions {
  readonly summarizer: Summarizer;
  readonly createEvent: CreateEvent | undefined;
}

/**
 * Returns the custom summariser; undefined if a model is given.
 *
 * @throws {@link InvalidCondenserConfigError} when there is no summariser or more than one.
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

/** Returns the error for a prompt without a model to receive it. */
export function promptWithoutModel(option: 'summarizer' | 'compactor'): InvalidCondenserConfigError {
  return invalid('modelCall.prompt', `is for 'llm'; give it to the '${option}', as in llmSummarizer({ llm, prompt })`);
}

function isUndefined(value: unknown): value is undefined {
  return value === undefined;
}

function invalid(option: string, reason: string): InvalidCondenserConfigError {
  return new InvalidCondenserConfigError({ condenser: condenserName, option, reason });
}
