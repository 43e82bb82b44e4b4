import { isUserMessage } from '@palimpsest/events';
import type { Condensation, CondensationSummaryEvent, CreateEvent, LLMConvertibleEvent } from '@palimpsest/events';
import { condensation, newestStep, NoCondensationAvailableError } from '@palimpsest/view';
import type { CondenseContext, Reducer, Reduction, View } from '@palimpsest/view';
import { calibrationOf } from '../authoring/rolling/calibration.js';
import { isHalfFull, requirementOf } from '../authoring/rolling/requirement.js';
import type { Requirement } from '../authoring/rolling/requirement.js';
import { rollingCondenser } from '../authoring/rolling/rolling-condenser.js';
import { assertProgress, isProgress, selectMiddle, strictestTail } from '../authoring/rolling/selection.js';
import type { EventRange } from '../authoring/rolling/selection.js';
import { readInSlices } from './ahead.js';
import { readFactsAhead, readFactsOf } from './facts/event-facts.js';
import { rememberManifest } from './facts/lineage.js';
import { readLinesAhead, readLinesOf } from './lines/hidden-lines.js';
import { summaryOfRange } from './summary-of-range.js';
import type { SummaryLimits } from './summary-of-range.js';
import { beforeSecondStep, behindLargeKept, rangeDownTo, sizeFrom, withKept } from './target-range.js';
import type { KeptRange } from './target-range.js';

/** What a condenser that summarises without a model is made of. Unit of the sizes: tokens, as the provider counts. */
export interface RollingSummaryOptions extends SummaryLimits {
  readonly name: string;
  /** Unit: events. */
  readonly maxSize: number;
  readonly maxTokens: number | undefined;
  /** Unit: events. */
  readonly keepFirst: number;
  /** The size of the view after a condensation, without the user's words in the summary. */
  readonly targetTokens: number | undefined;
  readonly createEvent: CreateEvent | undefined;
}

/** No budget makes the facts shorter: their own words take a part of it. Unit: tokens. */
const leastFactTokens = 256;
/** The lines have so much room beside steps that the target does not hold. Unit: tokens. */
const leastLineTokens = 1_000;
/** The part of a budget that facts and words may take, and lines besides. */
const shareOfBudget = 0.25;

/** Returns the condenser that replaces the middle of a view, or all above a target, by a summary written from the log. */
export function rollingSummary(options: RollingSummaryOptions): Reducer {
  const { name, maxSize, maxTokens, keepFirst, targetTokens } = options;
  const toTarget = (view: View, context: CondenseContext): EventRange | undefined => {
    if (targetTokens === undefined) return undefined;
    const calibration = calibrationOf(view, context.fixedTokens);
    const behindFacts = Math.max(0, targetTokens - options.maxFactTokens);
    const range = rangeDownTo(view, Math.max(0, behindFacts - options.maxLineTokens) / calibration, keepFirst);
    return range && beforeSecondStep(view, range, behindFacts / calibration);
  };
  const isAboveTarget = (view: View, range: KeptRange, context: CondenseContext): boolean =>
    sizeFrom(view, range) * calibrationOf(view, context.fixedTokens) > (targetTokens ?? 0);
  const middleOf = (view: View, requirement: Requirement, context: CondenseContext): EventRange => {
    const { length } = view.events;
    const tokens = (from?: number, to?: number) => view.tokens(from, to);
    const tail = strictestTail({ requirement, length, maxSize, keepFirst, tokens });
    const middle = selectMiddle({ length, cutPoints: view.cutPoints, keepFirst, tail });
    const target = toTarget(view, context);
    const end = Math.max(Math.min(middle?.end ?? 0, newestStep(view).cutPoint), target?.end ?? 0);
    return { start: middle?.start ?? target?.start ?? 0, end };
  };
  // A view within the target stays as it is. A request, or a view that does not fit, then takes all that may go.
  const rangeNow = (view: View, context: CondenseContext): KeptRange | undefined => {
    if (targetTokens === undefined) return withKept(view, rangeDownTo(view, view.tokens() / 2, keepFirst));
    const { level } = requirementOf(view, context, { maxSize: Infinity, maxTokens });
    const range = withKept(view, toTarget(view, context));
    if (level === 'none')
      return range && isAboveTarget(view, range, context) ? behindLargeKept(view, range) : undefined;
    return range ?? withKept(view, rangeDownTo(view, 0, keepFirst));
  };
  const summarise = (
    view: View,
    range: EventRange,
    requirement: Requirement,
    context: CondenseContext,
  ): Promise<Condensation> => {
    const calibration = calibrationOf(view, context.fixedTokens);
    const limits = limitsWithin(options, requirement, calibration);
    const left = (targetTokens ?? Infinity) / calibration - limits.maxFactTokens - view.tokens(range.end);
    const maxLineTokens = Math.min(limits.maxLineTokens, Math.max(leastLineTokens / calibration, left));
    const { focus, signal } = context;
    return condensationOf(view, range, requirement, { ...limits, maxLineTokens, focus }, options, signal);
  };
  const readers = [readFactsOf, ...(options.maxLineTokens > 0 ? [readLinesOf] : [])];
  const readAhead = (view: View): void => {
    readFactsAhead(view);
    if (options.maxLineTokens > 0) readLinesAhead(view);
  };
  const rolling = rollingCondenser({
    name,
    requirement: (view, context) => {
      const requirement = requirementOf(view, context, { maxSize, maxTokens });
      if (requirement.level === 'none' && isHalfFull(view, requirement, maxSize)) readAhead(view);
      return requirement;
    },
    getCondensation: async (view, requirement, context) => {
      await readInSlices(view, readers, context.signal);
      return summarise(view, middleOf(view, requirement, context), requirement, context);
    },
    hardReset: async (view, requirement, context) => {
      const end = newestStep(view).cutPoint;
      try {
        return await summarise(view, { start: view.cutPoints.atOrAfter(keepFirst) ?? end, end }, requirement, context);
      } catch (error) {
        if (!NoCondensationAvailableError.isInstance(error)) throw error;
        return summarise(view, { start: view.cutPoints.atOrAfter(0) ?? end, end }, requirement, context);
      }
    },
  });
  return {
    ...rolling,
    estimate: (view, context) => {
      const range = rangeNow(view, context);
      if (range !== undefined || view.tokens() * 2 > (targetTokens ?? 0)) readAhead(view);
      return range && reductionOf(view, range, options);
    },
    reduce: async (view, context) => {
      const requirement = requirementOf(view, context, { maxSize: Infinity, maxTokens });
      const range = rangeNow(view, context);
      if (range === undefined) throw new NoCondensationAvailableError(whyNot(view));
      await readInSlices(view, readers, context.signal);
      const all = requirement.level === 'none' ? undefined : rangeDownTo(view, 0, keepFirst);
      try {
        return await summarise(view, range, requirement, context);
      } catch (error) {
        // Near the target the summary is as large as what it replaces. A request then takes all that may go.
        if (all === undefined || !NoCondensationAvailableError.isInstance(error)) throw error;
        return summarise(view, all, requirement, context);
      }
    },
  };
}

/** The limits of a summary, as the view counts, within a budget. */
function limitsWithin(
  limits: SummaryLimits,
  { tokenBudget = Infinity }: Requirement,
  calibration: number,
): SummaryLimits {
  const { maxFactTokens, maxUserWordTokens, maxLineTokens } = limits;
  const most = tokenBudget * shareOfBudget;
  return {
    // A budget of nothing is no reason to let the history grow.
    maxFactTokens: Math.min(maxFactTokens / calibration, Math.max(leastFactTokens, most / 2)),
    maxUserWordTokens: Math.min(maxUserWordTokens / calibration, most / 2),
    maxLineTokens: Math.min(maxLineTokens / calibration, most),
  };
}

/**
 * Returns what condensing a range would save, from its size: the facts and lines are as large as allowed, and what is kept stays. Undefined
 * if that is too little.
 */
function reductionOf(view: View, { start, end, kept }: KeptRange, limits: SummaryLimits): Reduction | undefined {
  let [keptTokens, first] = [0, start];
  for (const index of kept) {
    // What is kept at the beginning of the range stands before the first change.
    if (index === first) first++;
    else keptTokens += view.tokens(index, index + 1);
  }
  const gone = view.tokens(first, end) - keptTokens;
  const words = Math.min(limits.maxUserWordTokens, userWordTokens(view, start, end));
  const added = Math.min(limits.maxFactTokens + limits.maxLineTokens, gone / 2) + words;
  const savedTokens = gone - added;
  const goneEvents = end - start - kept.length;
  if (!view.unhandledCondensationRequest && !isProgress(view, { events: goneEvents, tokens: savedTokens }))
    return undefined;
  const newest = newestStep(view).start;
  return { savedTokens, rewrittenTokens: view.tokens(end, Math.max(end, newest)) + keptTokens + added };
}

/** The size of the user's words in a range, and in the summaries of earlier condensations. Costs O(range). */
function userWordTokens(view: View, start: number, end: number): number {
  let tokens = 0;
  for (let index = start; index < end; index++) {
    const event = view.events.at(index) as LLMConvertibleEvent;
    if (isUserMessage(event)) tokens += view.tokens(index, index + 1);
    else if (event.type === 'condensation-summary') tokens += wordsInSummary(view, event);
  }
  return tokens;
}

function wordsInSummary({ condensations }: View, { condensationId }: CondensationSummaryEvent): number {
  const words = condensations.findLast(({ id }) => id === condensationId)?.metadata?.['userWordTokens'];
  return typeof words === 'number' ? words : 0;
}

/** @throws {@link NoCondensationAvailableError} when nothing is left to forget, or too little is saved. */
async function condensationOf(
  view: View,
  selection: EventRange,
  requirement: Requirement,
  limits: SummaryLimits,
  { name, createEvent }: Pick<RollingSummaryOptions, 'name' | 'createEvent'>,
  signal: AbortSignal | undefined,
): Promise<Condensation> {
  const written = await summaryOfRange(view, selection, limits, signal);
  if (written === undefined) throw new NoCondensationAvailableError(whyNot(view));
  const { ids, range, lineage, summary, forgottenEvents, forgottenTokens, summaryTokens, metadata } = written;
  const gone = { events: forgottenEvents, tokens: forgottenTokens - summaryTokens };
  assertProgress(view, gone);
  const tokensBefore = view.tokens();
  const made = condensation({
    view,
    ...(range ?? { ids }),
    summary,
    metadata: {
      condenser: name,
      reason: requirement.reasons.join(', '),
      tokensBefore,
      tokensAfter: tokensBefore - gone.tokens,
      ...metadata,
    },
    createEvent,
  });
  rememberManifest(made, lineage);
  return made;
}

function whyNot(view: View): string {
  const { start, cutPoint, sharesResponse } = newestStep(view);
  return sharesResponse && cutPoint < start
    ? `the events from ${cutPoint} to ${view.events.length} are one batch that cannot be cut, because their llmResponseId is the same and nothing in the log tells one response from the next`
    : `of ${view.events.length} events none before the newest step may be forgotten, or a summary would make no room`;
}
