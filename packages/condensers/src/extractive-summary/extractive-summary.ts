import type { Condensation, CreateEvent } from '@palimpsest/events';
import { condensation, newestStep, NoCondensationAvailableError } from '@palimpsest/view';
import type { CondenseContext, Condenser, Reducer, Reduction, View } from '@palimpsest/view';
import * as z from 'zod/mini';
import { namesOf } from '../authoring/calls/names.js';
import { createCondenser, defineCondenser } from '../authoring/definition/define-condenser.js';
import {
  optionsOf,
  roomBehindFirst,
  sizeOptions,
  defaultKeepFirst,
  wholeNumber,
} from '../authoring/definition/option-schemas.js';
import type { SizeOptions } from '../authoring/definition/option-schemas.js';
import { calibrationOf } from '../authoring/rolling/calibration.js';
import { isHalfFull, requirementOf } from '../authoring/rolling/requirement.js';
import type { Requirement } from '../authoring/rolling/requirement.js';
import { rollingCondenser } from '../authoring/rolling/rolling-condenser.js';
import { assertProgress, isProgress, selectMiddle, strictestTail } from '../authoring/rolling/selection.js';
import type { EventRange } from '../authoring/rolling/selection.js';
import { aheadReader } from './ahead.js';
import { filesOfResult } from './hidden/files-of-call.js';
import { manifestOfRange } from './manifest-of-range.js';
import type { RangeLimits } from './manifest-of-range.js';
import { readFactsAhead } from './manifest/event-facts.js';
import { rememberManifest } from './manifest/lineage.js';
import { behindLargeKept, rangeDownTo, withKept } from './target-range.js';
import type { KeptRange } from './target-range.js';

/** Options of {@link extractiveSummaryCondenser}. */
export interface ExtractiveSummaryOptions extends SizeOptions {
  /** The maximum length of a summary. Unit: tokens. @defaultValue 3000 */
  readonly maxSummaryTokens?: number | undefined;
  /**
   * Of the summary, what the user's words may take. Messages that fit stand there word for word through any number of
   * condensations. If not all fit, the request and the newest ones stay; long ones are cut in the middle, with the address of the
   * original. Words of the framework, whose `source` is not `user`, are not among them. Unit: tokens. @defaultValue two thirds of
   * `maxSummaryTokens`
   */
  readonly maxUserWordTokens?: number | undefined;
  /**
   * The size to which the view is condensed, without what is sent beside it and what always stays. The newest events stay, as many as
   * fit beside the summary, the names and the files in work. Unit: tokens, as the provider counts. @defaultValue half of the limit that
   * was exceeded
   */
  readonly targetTokens?: number | undefined;
  /**
   * The maximum length of the lists of names that stood in what is forgotten: paths, definitions, other symbols. They stand behind
   * the summary. Unit: tokens. @defaultValue 0
   */
  readonly maxNameTokens?: number | undefined;
  /**
   * Files in work stay as they were read, with the changes since: an edit must quote what it replaces. The files changed last come
   * first, as far as they fit. Unit: tokens. @defaultValue 0
   */
  readonly maxFileTokens?: number | undefined;
  /** Creates the condensation. @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent | undefined;
}

const name = 'extractiveSummary';

/** No budget makes a summary shorter: its own words take a part of it. Unit: tokens. */
const leastSummaryTokens = 256;

const readNamesAhead = /* @__PURE__ */ aheadReader((event) => void namesOf(event));
const readFilesAhead = /* @__PURE__ */ aheadReader((event, view) => void filesOfResult(view, event.id));

/** Reads what a later summary says of the newest events. */
function readAllAhead(view: View, { maxNameTokens, maxFileTokens }: RangeLimits): void {
  readFactsAhead(view);
  if (maxNameTokens > 0) readNamesAhead(view);
  if (maxFileTokens > 0) readFilesAhead(view);
}

/**
 * Returns the condenser of a rolling summary without a model: a manifest of facts replaces the middle of the history.
 * The first `keepFirst` events, the newest events and the whole newest step stay. More than `maxSize` events is a soft
 * trigger; too many tokens, or a request, is a hard one.
 *
 * The manifest lists, as recorded in the log: the user's messages, the ids of what still runs, open tasks, the summaries of other condensers, how the agent's
 * turns ended and what the user answered, files created, modified and deleted, failing tests, errors, commands with their exit
 * status, other calls, identifiers, files only read, calls that only looked, and the agent's last message. When space is short, the
 * entries at the end of this list are dropped first, and within a kind the oldest. The user's messages have their own space. The text of an earlier summary is
 * not read again: its facts are in the metadata of its condensation, so no information decays from one summary to the next.
 *
 * The summary takes at most `maxSummaryTokens`, a quarter of the budget (no less than 256), and the tokens of the replaced summaries plus half of
 * the other replaced tokens. Bound: `maxSize` events in what is sent, as far as there are cut points; after a condensation
 * `floor(maxSize / 2)`, plus protected events (at most three) and the rest of a unit or a newest step that cannot be cut.
 *
 * @throws {@link InvalidCondenserConfigError} when the numbers leave no room for a summary and one event behind it; `condense`
 *   throws {@link NoCondensationAvailableError} when a condensation was requested and forgetting would not make the view smaller.
 *   Over the budget without a request it reports the failure and returns the view.
 * @see LLMSummarizingCondenser of OpenHands' software-agent-sdk at 611629e6 for the triggers and the selection
 */
export function extractiveSummaryCondenser(options: ExtractiveSummaryOptions = {}): Condenser {
  return createCondenser(extractiveSummary, options);
}

/** The definition of {@link extractiveSummaryCondenser}. */
export const extractiveSummary = /* @__PURE__ */ defineCondenser({
  name,
  summary: 'replaces the middle by a list of what it did, written without a model',
  options: /* @__PURE__ */ optionsOf(
    () => ({
      ...sizeOptions(4),
      maxSummaryTokens: z._default(wholeNumber(1), 3_000),
      maxUserWordTokens: z.optional(wholeNumber(0)),
      targetTokens: z.optional(wholeNumber(1)),
      maxNameTokens: z._default(wholeNumber(0), 0),
      maxFileTokens: z._default(wholeNumber(0), 0),
    }),
    /* @__PURE__ */ roomBehindFirst('a summary and an event'),
  ),
  create: ({ maxSize, maxTokens, targetTokens, ...options }, { createEvent }) => {
    const { keepFirst = defaultKeepFirst(maxSize, 'a summary and an event') } = options;
    const { maxUserWordTokens = Math.floor((options.maxSummaryTokens * 2) / 3) } = options;
    const limits = { ...options, maxUserWordTokens, createEvent };
    const rangeToTarget = (view: View, context: CondenseContext): EventRange | undefined =>
      targetTokens === undefined
        ? undefined
        : rangeDownTo(view, roomFor(view, context, targetTokens, limits), keepFirst);
    const middleOf = (view: View, requirement: Requirement, context: CondenseContext): EventRange => {
      const { length } = view.events;
      const tokens = (from?: number, to?: number) => view.tokens(from, to);
      const tail = strictestTail({ requirement, length, maxSize, keepFirst, tokens });
      const middle = selectMiddle({ length, cutPoints: view.cutPoints, keepFirst, tail });
      const toTarget = rangeToTarget(view, context);
      const end = Math.max(Math.min(middle?.end ?? 0, newestStep(view).cutPoint), toTarget?.end ?? 0);
      return { start: middle?.start ?? toTarget?.start ?? 0, end };
    };
    // A request, or a view that does not fit, takes all that may go if the target is reached already.
    const rangeNow = (view: View, context: CondenseContext): KeptRange | undefined => {
      if (targetTokens === undefined) return withKept(view, rangeDownTo(view, view.tokens() / 2, keepFirst));
      const { level } = requirementOf(view, context, { maxSize: Infinity, maxTokens });
      const range = withKept(view, rangeToTarget(view, context));
      if (level === 'none') return range && behindLargeKept(view, range);
      return range ?? withKept(view, rangeDownTo(view, 0, keepFirst));
    };
    const rolling = rollingCondenser({
      name,
      requirement: (view, context) => {
        const requirement = requirementOf(view, context, { maxSize, maxTokens });
        if (requirement.level === 'none' && isHalfFull(view, requirement, maxSize)) readAllAhead(view, limits);
        return requirement;
      },
      getCondensation: (view, requirement, context) =>
        summarise(view, middleOf(view, requirement, context), requirement, limits),
      hardReset: (view, requirement) => {
        const end = newestStep(view).cutPoint;
        const all = { ...limits, maxFileTokens: 0 };
        try {
          return summarise(view, { start: view.cutPoints.atOrAfter(keepFirst) ?? end, end }, requirement, all);
        } catch (error) {
          if (!NoCondensationAvailableError.isInstance(error)) throw error;
          return summarise(view, { start: view.cutPoints.atOrAfter(0) ?? end, end }, requirement, all);
        }
      },
    });
    const reducer: Reducer = {
      ...rolling,
      estimate: (view, context) => {
        const range = rangeNow(view, context);
        if (range !== undefined || view.tokens() * 2 > (targetTokens ?? 0)) readAllAhead(view, limits);
        return range && reductionOf(view, range, limits);
      },
      reduce: (view, context) => {
        const requirement = requirementOf(view, context, { maxSize: Infinity, maxTokens });
        const range = rangeNow(view, context);
        if (range === undefined) throw new NoCondensationAvailableError(whyNot(view));
        const all = requirement.level === 'none' ? undefined : rangeDownTo(view, 0, keepFirst);
        try {
          return summarise(view, range, requirement, limits);
        } catch (error) {
          // Near the target the summary is as large as what it replaces. A request then takes all that may go.
          if (all === undefined || !NoCondensationAvailableError.isInstance(error)) throw error;
          return summarise(view, all, requirement, limits);
        }
      },
    };
    return reducer;
  },
});

/** The room for the newest events in a view of `targetTokens`. Unit: tokens, as the view estimates. */
function roomFor(view: View, context: CondenseContext, targetTokens: number, limits: RangeLimits): number {
  const besides = limits.maxSummaryTokens + limits.maxNameTokens + limits.maxFileTokens;
  return Math.max(0, targetTokens - besides) / calibrationOf(view, context.fixedTokens);
}

/**
 * What condensing a range would save, from its size: the summary, its names and the files in work are as large as allowed, and what
 * is kept stays. Undefined if that is too little.
 */
function reductionOf(view: View, { start, end, kept }: KeptRange, limits: RangeLimits): Reduction | undefined {
  let [keptTokens, first] = [0, start];
  for (const index of kept) {
    // What is kept at the beginning of the range stands before the first change.
    if (index === first) first++;
    else keptTokens += view.tokens(index, index + 1);
  }
  const gone = view.tokens(first, end) - keptTokens;
  const added = Math.min(limits.maxSummaryTokens + limits.maxNameTokens, gone / 2);
  const staying = Math.min(limits.maxFileTokens, gone / 2);
  const savedTokens = gone - added - staying;
  const goneEvents = end - start - kept.length;
  if (!view.unhandledCondensationRequest && !isProgress(view, { events: goneEvents, tokens: savedTokens }))
    return undefined;
  const newest = newestStep(view).start;
  return {
    savedTokens,
    rewrittenTokens: view.tokens(end, Math.max(end, newest)) + keptTokens + added + staying,
  };
}

/** @throws {@link NoCondensationAvailableError} when nothing is left to forget, or too little is saved. */
function summarise(
  view: View,
  selection: EventRange,
  requirement: Requirement,
  options: RangeLimits & { readonly createEvent: CreateEvent | undefined },
): Condensation {
  const { tokenBudget = Infinity } = requirement;
  // A budget of nothing is no reason to let the history grow.
  const budget = Math.max(leastSummaryTokens, Math.floor(tokenBudget / 4));
  const maxSummaryTokens = Math.min(options.maxSummaryTokens, budget);
  const share = maxSummaryTokens / options.maxSummaryTokens;
  const maxUserWordTokens = Math.floor(options.maxUserWordTokens * share);
  const written = manifestOfRange(view, selection, { ...options, maxSummaryTokens, maxUserWordTokens });
  if (written === undefined) throw new NoCondensationAvailableError(whyNot(view));
  const { ids, range, lineage, summary, forgottenEvents, forgottenTokens, summaryTokens, metadata } = written;
  const gone = { events: forgottenEvents, tokens: forgottenTokens - summaryTokens };
  assertProgress(view, gone);
  const tokensBefore = view.tokens();
  const made = condensation({
    view,
    // A range is found without a look at each of its events.
    ...(range ?? { ids }),
    summary,
    metadata: {
      condenser: name,
      reason: requirement.reasons.join(', '),
      tokensBefore,
      tokensAfter: tokensBefore - gone.tokens,
      ...metadata,
    },
    createEvent: options.createEvent,
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
