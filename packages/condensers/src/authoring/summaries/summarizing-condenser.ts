import type { Condensation, CreateEvent } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import { newestStep, NoCondensationAvailableError } from '@palimpsest/view';
import type { CondenseContext, Condenser, View } from '@palimpsest/view';
import * as z from 'zod/mini';
import { CondenserModelError } from '../definition/errors.js';
import {
  flag,
  fraction,
  objectWith,
  optionGroup,
  optionsOf,
  roomBehindFirst,
  sizeOptions,
  defaultKeepFirst,
  wholeNumber,
} from '../definition/option-schemas.js';
import type { SizeOptions } from '../definition/option-schemas.js';
import { checkedOptions } from '../definition/options.js';
import { backgroundCondenser } from '../model/background.js';
import { modelCallOptions, nextScale, timeoutMs, tryAgain } from '../model/call-model.js';
import type { ModelCallOptions, Tries } from '../model/call-model.js';
import { promptOf } from '../model/prompt.js';
import type { Prompt } from '../model/prompt.js';
import { isHalfFull, requirementOf } from '../rolling/requirement.js';
import type { Requirement } from '../rolling/requirement.js';
import { rollingCondenser } from '../rolling/rolling-condenser.js';
import { firstSummary, isProgress, selectMiddle, strictestTail } from '../rolling/selection.js';
import type { EventRange } from '../rolling/selection.js';
import { rangeContent } from './range.js';
import type { RangeContent, ReadRangeFacts } from './range.js';
import { summariseRange } from './summarise-range.js';
import { notifyingSummarizer } from './summarizer.js';
import type { Summarizer } from './summarizer.js';

/** The triggers of a summarising condenser, and how much it keeps. */
export interface SummarizingLimits extends SizeOptions {
  /**
   * The maximum length of a summary, with the user's words and the facts that its writer left out. A longer one is cut in the middle.
   * Unit: tokens, at least 64. @defaultValue 4000
   */
  readonly maxSummaryTokens?: number | undefined;
  /**
   * What the user said in the replaced events stays word for word in the summary, through all later summaries: at most so much, at
   * most half of `maxSummaryTokens`, and half of what is replaced. If it is more, long messages are cut in the middle, older ones
   * shorter; the oldest are left out last. Unit: tokens. @defaultValue 1000
   */
  readonly maxUserWordTokens?: number | undefined;
  /**
   * Writes summaries in the background and inserts them at a later step. Only a view over its budget, or a request, waits. A
   * summary starts at four fifths of `maxTokens`. While it is written, the view may exceed `maxSize` events. After a restart the
   * summary starts again. @defaultValue false
   */
  readonly background?: boolean | undefined;
  /** Makes the condensation. @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent | undefined;
}

/** The options of a summary's calls: when one is made, and how often. */
export interface SummaryCallOptions {
  /**
   * A condensation that removes less is only made on request, and only if the view is then within `maxTokens`. Unit: share of the
   * view's events or tokens, above 0 and below 1. @defaultValue 0.1
   */
  readonly minProgress?: number | undefined;
  /** The number of tries of the last resort, and of a prompt that is too long. Each retry has less to read. @defaultValue 3 */
  readonly tries?: number | undefined;
  /**
   * The deadline of a summary; if the summariser sets a shorter one, that applies. At the deadline the call is abandoned and its
   * signal aborts. Unit: milliseconds. @defaultValue 120000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Sends the call after the agent's own request, so that the summary's input is read from the prompt cache: the same
   * messages and tools, and one message more. It needs a host that passes `agentRequest`, the agent's model, and room
   * in its window. Otherwise, and if the model calls a tool instead of answering, the summary is asked for in a request
   * of its own. @defaultValue false
   */
  readonly extendsAgentRequest?: boolean | undefined;
}

/** Options of {@link summarizingCondenser}. */
export interface SummarizingOptions extends SummarizingLimits {
  /** The condenser's name in the log and in the metadata. @defaultValue `summarizing` */
  readonly name?: string | undefined;
  /** Writes the summaries. */
  readonly summarizer: Summarizer;
  /**
   * Reads what the user said in a range, and what its summary must name: `factsOfRange` of `@palimpsest/condensers`. A fact that a
   * summary does not name is put behind it. @defaultValue none: the writer decides what is kept
   */
  readonly readFacts?: ReadRangeFacts | undefined;
  /** The options of the summariser's calls. */
  readonly modelCall?: SummaryCallOptions | undefined;
}

/** Options of a condenser whose model writes its summaries. */
export interface ModelSummaryOptions extends SummarizingLimits {
  /** The model; one that is smaller than the agent's is often enough. */
  readonly llm: LLM;
  /** The options and settings of the model's calls. */
  readonly modelCall?: (ModelCallOptions & SummaryCallOptions) | undefined;
}

const besidesFirst = 'a summary and an event';

/** Returns the schemas of {@link SummarizingLimits}, and of the group `modelCall` with the given members. */
function limits<ModelCall extends object>(modelCall: ModelCall) {
  return {
    ...sizeOptions(4),
    maxSummaryTokens: z._default(wholeNumber(1), 4_000),
    maxUserWordTokens: z._default(wholeNumber(0), 1_000),
    background: z._default(flag(), false),
    modelCall: optionGroup({
      minProgress: z._default(fraction(), 0.1),
      tries: z._default(wholeNumber(1), 3),
      timeoutMs: timeoutMs(),
      extendsAgentRequest: z._default(flag(), false),
      ...modelCall,
    }),
  };
}

/** Returns the schema of {@link ModelSummaryOptions}, except the parts that are code. */
export function modelSummaryOptions() {
  return optionsOf(() => limits(modelCallOptions(10_000)), roomBehindFirst(besidesFirst));
}

/** The complete settings of a summariser's model call. */
export interface CheckedModelCall {
  readonly llm: LLM;
  readonly prompt: Prompt;
  readonly maxOutputTokens?: number | undefined;
  /** Unit: milliseconds. */
  readonly timeoutMs: number;
  readonly maxEventCharacters: number;
}

/**
 * Creates the condenser from checked {@link ModelSummaryOptions}. Its `Summarizer` gets the model, its settings and the compiled
 * prompt.
 *
 * @throws {@link InvalidCondenserConfigError} when the prompt cannot be used.
 */
export function modelSummaryCondenser(
  { modelCall, ...limits }: z.output<ReturnType<typeof modelSummaryOptions>>,
  { llm, createEvent }: { readonly llm: LLM; readonly createEvent?: CreateEvent | undefined },
  own: {
    readonly name: string;
    /** The default prompt. */
    readonly template: string;
    readonly createSummarizer: (options: CheckedModelCall) => Summarizer;
    /** @defaultValue the model decides what is kept */
    readonly readFacts?: ReadRangeFacts | undefined;
  },
): Condenser {
  const { minProgress, tries, extendsAgentRequest, prompt = own.template, ...call } = modelCall;
  const summarizer = own.createSummarizer({ llm, ...call, prompt: promptOf(own.name, prompt, 'modelCall.prompt') });
  const { timeoutMs } = call;
  return summarizingCondenser({
    name: own.name,
    summarizer,
    ...limits,
    readFacts: own.readFacts,
    modelCall: { minProgress, tries, timeoutMs, extendsAgentRequest },
    createEvent,
  });
}

const options = /* @__PURE__ */ optionsOf(
  () => ({
    name: z._default(z.string(), 'summarizing'),
    summarizer: objectWith<Summarizer>('summarize'),
    readFacts: z.optional(
      z.custom<ReadRangeFacts>((value) => typeof value === 'function', {
        error: 'must be a function that reads facts',
      }),
    ),
    createEvent: z.optional(
      z.custom<CreateEvent>((value) => typeof value === 'function', { error: 'must be a function that makes events' }),
    ),
    ...limits({}),
  }),
  /* @__PURE__ */ roomBehindFirst(besidesFirst),
);

/** A range with fewer tokens is not summarised, because no summary is shorter. Unit: tokens. */
const leastTokens = 24;

/**
 * Returns a rolling summary by any summariser. The first `keepFirst` events and the newest ones stay, and one summary replaces the events
 * between them. {@link llmSummarizingCondenser} is this condenser with a model; its documentation has the details.
 *
 * @throws {@link InvalidCondenserConfigError} when the numbers leave no room for a summary and one event behind it.
 */
export function summarizingCondenser(given: SummarizingOptions): Condenser {
  const checked = checkedOptions(options, given, {
    subject: (given as Partial<SummarizingOptions> | null | undefined)?.name ?? 'summarizing',
  });
  const { name, summarizer, background, maxSize, maxTokens, modelCall, ...others } = checked;
  const { keepFirst = defaultKeepFirst(maxSize, besidesFirst) } = checked;
  const parts = { ...others, name, summarizer, maxSize, keepFirst, maxTokens, ...modelCall };
  if (!background) return rollingSummary(parts);
  return backgroundCondenser({
    name,
    maxTokens,
    create: (asks) => rollingSummary({ ...parts, summarizer: notifyingSummarizer(summarizer, asks), isEarly: true }),
  });
}

/** The parts of a rolling summary. */
interface Parts {
  readonly name: string;
  readonly summarizer: Summarizer;
  readonly maxSize: number;
  readonly keepFirst: number;
  readonly maxTokens: number | undefined;
  readonly maxSummaryTokens: number;
  readonly maxUserWordTokens: number;
  readonly readFacts?: ReadRangeFacts | undefined;
  readonly extendsAgentRequest: boolean;
  readonly createEvent?: CreateEvent | undefined;
  readonly minProgress: number;
  readonly tries: number;
  readonly timeoutMs: number;
  /** Starts early, because no call waits for the result. @defaultValue false */
  readonly isEarly?: boolean | undefined;
}

function rollingSummary(parts: Parts): Condenser {
  const { name, maxSize, maxTokens, minProgress, isEarly = false } = parts;
  const summarise = (
    view: View,
    range: EventRange,
    requirement: Requirement,
    context: CondenseContext,
    tries: Tries,
  ): Promise<Condensation> => {
    const content = rangeContent(view, range);
    if (content === undefined)
      throw new NoCondensationAvailableError(
        `the events ${range.start} to ${range.end} are protected or pinned, or one summary`,
      );
    if (content.tokens < leastTokens)
      throw new NoCondensationAvailableError(`a summary is no smaller than ${content.tokens} tokens`);
    if (!isWorthACall(view, content, requirement, minProgress)) {
      const share = `${content.forgotten.length} of ${view.events.length} events and ${content.tokens} of ${view.tokens()} tokens`;
      throw new NoCondensationAvailableError(`only ${share} may go, too little to be worth a summary`);
    }
    const subject = { ...parts, condenser: name, view, range, content, requirement, context };
    return tryAgain(tries, name, context, (scale) => summariseRange(subject, scale));
  };

  return rollingCondenser({
    name,
    requirement: (view, context) => {
      const requirement = requirementOf(view, context, { maxSize, maxTokens, isEarly });
      if (requirement.level === 'none' && isHalfFull(view, requirement, maxSize)) parts.readFacts?.ahead?.(view);
      return requirement;
    },
    getCondensation: (view, requirement, context) => {
      const middle = middleOf(view, requirement, parts);
      if (middle === undefined)
        throw new NoCondensationAvailableError(
          `of ${view.events.length} events too few lie between the first ones and the newest step`,
        );
      const isWorthIt = ({ kind, mayRetry }: CondenserModelError): boolean => kind === 'overflow' && mayRetry;
      const tries = { most: parts.tries, isWorthIt };
      return summarise(view, middle, requirement, context, tries);
    },
    hardReset: (view, requirement, context, failure) => {
      if (CondenserModelError.isInstance(failure) && !failure.mayRetry) return undefined;
      const range = everythingOf(view, requirement);
      if (range === undefined) return undefined;
      const isWorthIt = ({ mayRetry }: CondenserModelError): boolean => mayRetry;
      const tries = { most: parts.tries, isWorthIt, scale: 1 };
      if (CondenserModelError.isInstance(failure)) {
        // A prompt that was too long has already been tried that often, with half the input each time.
        const overflows = failure.kind === 'overflow' ? parts.tries : 1;
        tries.most -= overflows - 1;
        for (let past = 0; past < overflows; past++) tries.scale = nextScale(tries.scale, failure);
      }
      return summarise(view, range, requirement, context, tries);
    },
  });
}

/**
 * Returns the range between the first events and the newest that may stay, without the newest step. A summary among the first events is
 * part of the range: it is replaced like any other, so that there is only one.
 */
function middleOf(
  view: View,
  requirement: Requirement,
  limits: { readonly maxSize: number; readonly keepFirst: number },
): EventRange | undefined {
  const { events, cutPoints } = view;
  const keepFirst = firstSummary(events, limits.keepFirst);
  const tail = strictestTail({
    requirement,
    length: events.length,
    maxSize: limits.maxSize,
    keepFirst,
    tokens: (from, to) => view.tokens(from, to),
  });
  const newest = events.length - newestStep(view).cutPoint;
  return selectMiddle({
    length: events.length,
    cutPoints,
    keepFirst,
    tail: tail < 0 ? tail : Math.max(tail, newest),
    minProgress: 0,
  });
}

/**
 * Returns true if a summary could save enough. Protected and pinned events stay, so a long range may save little. Without this check, a
 * view whose pinned events alone are too large would get a new summary at each step.
 */
function isWorthACall(
  view: View,
  { forgotten, tokens }: RangeContent,
  { reasons, tokenBudget = Infinity }: Requirement,
  minProgress: number,
): boolean {
  const isStillOver = reasons.includes('tokens') && view.tokens() - tokens > tokenBudget;
  if (isStillOver) return tokens >= view.tokens() * minProgress;
  return reasons.includes('request') || isProgress(view, { events: forgotten.length, tokens }, minProgress);
}

/**
 * Returns the range before the newest step. If nothing in it can be forgotten, the whole view, provided that it was requested or that
 * this is enough. A view that is too large in any case, such as one with too many pinned events, keeps the events that the model
 * has not read yet.
 */
function everythingOf(view: View, { reasons, tokenBudget = Infinity }: Requirement): EventRange | undefined {
  const start = view.cutPoints.atOrAfter(0);
  if (start === undefined) return undefined;
  const older = { start, end: newestStep(view).cutPoint };
  if (rangeContent(view, older) !== undefined) return older;
  const all = { start, end: view.cutPoints.atOrBefore(view.events.length) ?? start };
  const content = rangeContent(view, all);
  if (content === undefined) return undefined;
  return reasons.includes('request') || view.tokens() - content.tokens <= tokenBudget ? all : undefined;
}
