import type { LLMUsageEvent } from '@palimpsest/events';
import type { CondenseContext, View } from '@palimpsest/view';

/** The number of newest counts that count. */
const counted = 5;
/** A smaller estimate depends more on what is sent beside the view than on the view. Unit: tokens. */
const leastEstimate = 1_000;
const least = 0.5;
const most = 4;
/** One or two calls may be exceptions, so they are believed within what tokenizers differ by. Unit: calls. */
const enough = 3;
const leastOfFew = 0.8;
const mostOfFew = 2;

/**
 * Returns the provider's tokens per estimated token of the view: the median of the agent's last five calls of the model that it called
 * last, with both numbers in the log, minus `fixedTokens`; limited to 0.5–4, and to 0.8–2 as long as there are only one or two. 1 if
 * the log has no such call. Counts that cannot be those of whole prompts are left out: {@link promptCounts}. Both numbers are of the
 * prompt that was sent, so they stay true after a condensation. Costs O(1).
 *
 * @see decision 113; logs contain a counter that was wrong by four, and usage counted twice, so neither number is trusted alone
 */
export function calibrationOf(view: Pick<View, 'internalEvents'>, fixedTokens = 0): number {
  const ratios = promptCounts(view, fixedTokens)
    .believed.filter(({ sent, estimated }) => sent > fixedTokens && estimated >= leastEstimate)
    .slice(-counted)
    .map(({ sent, estimated }) => (sent - fixedTokens) / estimated);
  if (ratios.length === 0) return 1;
  const [low, high] = ratios.length < enough ? [leastOfFew, mostOfFew] : [least, most];
  return Math.min(high, Math.max(low, medianOf(ratios)));
}

function medianOf(ratios: number[]): number {
  ratios.sort((a, b) => a - b);
  const middle = Math.floor(ratios.length / 2);
  const upper = ratios[middle] as number;
  return ratios.length % 2 === 1 ? upper : (upper + (ratios[middle - 1] as number)) / 2;
}

/** The provider's count of a prompt that was sent, and our estimate of it. Unit: tokens. */
export interface PromptCount {
  readonly sent: number;
  readonly estimated: number;
  /** The index in `view.internalEvents`. */
  readonly index: number;
}

/** The counts that a log holds. */
export interface PromptCounts {
  /** Those of whole prompts, oldest first. */
  readonly believed: readonly PromptCount[];
  /** The newest count that cannot be that of a whole prompt, and the reason. Undefined if all can be. */
  readonly ignored: { readonly count: PromptCount; readonly reason: string } | undefined;
}

/** The number of newest internal events that are read: a server that reports parts of prompts may have reported one whole, the first. */
const searched = 1_000;
/** The frames of a shorter prompt, which we do not know, are most of it. Unit: tokens. */
const leastJudged = 1_000;
/** Tokenizers differ by less, in both directions. Unit: the provider's tokens for each estimated one. */
const mostRatio = 4;
/** Providers drop old thinking, so a longer prompt can be counted for a little less. Unit: share of the longer count. */
const leastShare = 0.8;

/**
 * Returns the counts of the agent's newest calls, of the model that it called last. A count is not believed if it cannot be that of a
 * whole prompt: it is smaller than our estimate and than an earlier one of the same prefix, as where a server reports only what its
 * cache did not hold; it has grown by a whole prompt, as where a server or a framework adds up its calls; or it is more than four
 * times our estimate, or less than a quarter. Costs O(1): at each new count a thousand internal events are read.
 *
 * @param fixedTokens - what was sent beside the view. Unit: tokens, as the view estimates
 * @see decision 113
 */
export function promptCounts({ internalEvents }: Pick<View, 'internalEvents'>, fixedTokens = 0): PromptCounts {
  const start = Math.max(0, internalEvents.length - searched);
  const newest = newestUsage(internalEvents, start);
  if (newest === undefined) return { believed: [], ignored: undefined };
  const before = known.get(newest);
  if (before?.fixedTokens === fixedTokens) return before.counts;
  const counts = countsOf(internalEvents, start, newest.model, fixedTokens);
  known.set(newest, { fixedTokens, counts });
  return counts;
}

/** A cache: condensers ask more than once between two calls, and counts depend on nothing after the newest. */
const known = new WeakMap<LLMUsageEvent, { readonly fixedTokens: number; readonly counts: PromptCounts }>();

function countsOf(
  internalEvents: View['internalEvents'],
  start: number,
  model: string,
  fixedTokens: number,
): PromptCounts {
  const believed: PromptCount[] = [];
  let ignored: PromptCounts['ignored'];
  /** The largest count of a prefix. A condensation begins another one. */
  let largest: PromptCount | undefined;
  let before: PromptCount | undefined;
  let mostSeen = 0;
  let isPartial = false;
  for (let index = start; index < internalEvents.length; index++) {
    const event = internalEvents.at(index);
    if (event?.type === 'condensation' || event?.type === 'condensation-revert') largest = undefined;
    if (event?.type !== 'llm-usage' || !isOfAgent(event) || event.model !== model) continue;
    const { estimatedInputTokens: estimated, usage } = event;
    if (estimated === undefined) continue;
    const count = {
      sent: usage.uncachedInputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
      estimated,
      index,
    };
    const whole = estimated + fixedTokens;
    const ratio = count.sent / Math.max(whole, leastJudged);
    const isSmaller =
      ratio < 1 && largest !== undefined && largest.estimated <= estimated && count.sent < leastShare * largest.sent;
    isPartial ||= isSmaller;
    const grown = before === undefined ? 0 : count.sent - before.sent;
    const expected = before === undefined ? 0 : mostRatio * Math.max(0, estimated - before.estimated);
    const reason =
      isSmaller || (isPartial && ratio < leastShare * mostSeen)
        ? 'less was counted than for a part of this prompt'
        : grown > expected + whole / 2
          ? 'the count has grown by a whole prompt'
          : ratio > mostRatio || (whole >= leastJudged && ratio < 1 / mostRatio)
            ? `the estimate is ${whole} tokens`
            : undefined;
    before = count;
    if (reason !== undefined) {
      ignored = { count, reason };
      continue;
    }
    believed.push(count);
    mostSeen = Math.max(mostSeen, ratio);
    if (largest === undefined || count.sent > largest.sent) largest = count;
  }
  return { believed, ignored };
}

function newestUsage(events: View['internalEvents'], start: number): LLMUsageEvent | undefined {
  for (let index = events.length - 1; index >= start; index--) {
    const event = events.at(index);
    if (event?.type === 'llm-usage' && isOfAgent(event)) return event;
  }
  return undefined;
}

function isOfAgent({ purpose = 'agent', usageIsEstimated }: LLMUsageEvent): boolean {
  return purpose === 'agent' && usageIsEstimated !== true;
}

/** The outcome of the report that a count is not believed. */
const ignoredOutcome = 'usage-ignored';

/** Reports that counts are not believed, once in a thousand internal events. */
export function reportIgnoredCount(view: View, { report, preview, fixedTokens }: CondenseContext): void {
  const { ignored } = promptCounts(view, fixedTokens);
  if (ignored === undefined || report === undefined || preview === true || isReported(view)) return;
  const { sent, estimated } = ignored.count;
  report({
    outcome: ignoredOutcome,
    reason: `the provider reports ${sent} input tokens, which cannot be all of the prompt: ${ignored.reason}. Estimates are not corrected by such counts`,
    data: { reported: sent, estimated },
  });
}

function isReported({ internalEvents }: View): boolean {
  for (let index = internalEvents.length - 1; index >= Math.max(0, internalEvents.length - searched); index--) {
    const event = internalEvents.at(index);
    if (event?.type === 'condensation-attempt' && event.outcome === ignoredOutcome) return true;
  }
  return false;
}
