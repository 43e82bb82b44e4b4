import { isToolResult } from '@palimpsest/events';
import type { EventId } from '@palimpsest/events';
import { cachePricesOf, costOfRewriting, viewOfLog } from '@palimpsest/view';
import type { CachePrices, CondenseContext, View } from '@palimpsest/view';
import type { RelevanceDirective } from './directive.js';
import { resultLength } from './redaction.js';

/** The rule for when waiting directives take effect. */
export interface BatchingRule {
  /** Prices that replace those of the host. @defaultValue those of the context */
  readonly prices?: CachePrices | undefined;
  /** For how many calls after the coming one a directive is taken to save. Unit: model calls. @defaultValue 0 */
  readonly expectedCalls: number;
  /** All waiting directives take effect when the input fills more than this share of the window. @defaultValue 0.8 */
  readonly pressure: number;
}

/** The default rule: that of `priced` of `@palimpsest/condensers`. */
export const defaultBatchingRule: BatchingRule = { expectedCalls: 0, pressure: 0.8 };

/** A directive in effect, and the event since which it is; undefined: since the coming call. */
export interface EffectiveDirective {
  readonly directive: RelevanceDirective;
  readonly effectiveFrom: EventId | undefined;
}

/** The part of a condenser's context that the rule reads. The time is that of the events, so that a decision stays what it was. */
type BatchingContext = Pick<
  CondenseContext,
  'contextWindow' | 'maxOutputTokens' | 'fixedTokens' | 'prices' | 'cacheLifeMs'
>;

/** A directive that waits. Indices are those of the stored list; the saving is in tokens a call. */
interface Waiting {
  readonly directive: RelevanceDirective;
  readonly requestedAt: number;
  readonly target: number;
  readonly saving: number;
}

/** Puts each directive into effect when it is issued. */
export function immediately(directives: readonly RelevanceDirective[]): readonly EffectiveDirective[] {
  return directives.map((directive) => ({ directive, effectiveFrom: directive.id }));
}

/**
 * Puts directives into effect together, at the first model call at which one of these holds:
 *
 * - It pays: what they would have saved since they were issued, this call included, and save in `expectedCalls` more calls, is at
 *   least what the rewrite costs: (write price − read price) × the tokens after the first of them and before the newest step.
 * - The cache is cold, because the model has answered longer ago than it lives. The newest event's time tells.
 * - The view fills more than `pressure` of the window, less the answer and what is sent beside the view.
 * - Something else rewrote the history after they were issued: a condensation, a revert, a new system prompt.
 *
 * The rule is evaluated for every call that the log holds, with the sizes at that call, so the result depends on the log alone
 * and an effective directive never waits again. Cost: linear in the list from the first waiting request on.
 */
export function inBatches(
  view: View,
  directives: readonly RelevanceDirective[],
  rule: BatchingRule,
  context: BatchingContext,
): readonly EffectiveDirective[] {
  const stored = viewOfLog(view);
  const since = new Map<EventId, EventId | undefined>();
  const waiting: Waiting[] = [];
  const done: Waiting[] = [];
  const rewrites = rewritesAfter(stored, directives);
  for (const directive of directives) {
    const rewrite = rewrites.get(directive.id);
    const { requestingActionId } = directive;
    const requestedAt = requestingActionId === undefined ? undefined : stored.indexOf(requestingActionId);
    const entry: Waiting = { directive, requestedAt: requestedAt ?? 0, ...savingOf(stored, directive) };
    // A directive that changes nothing need not wait; one with an unknown place has no history to judge by.
    if (rewrite === undefined && requestedAt !== undefined && entry.saving > 0) {
      waiting.push(entry);
    } else {
      done.push(entry);
      since.set(directive.id, rewrite ?? directive.id);
    }
  }
  for (const batch of batchesOf({ view: stored, waiting, done }, rule, context)) {
    for (const { directive } of batch.directives) since.set(directive.id, batch.effectiveFrom);
  }
  return directives
    .filter(({ id }) => since.has(id))
    .map((directive) => ({ directive, effectiveFrom: since.get(directive.id) }));
}

/** For each directive the first event after it that rewrote the history. */
function rewritesAfter(view: View, directives: readonly RelevanceDirective[]): ReadonlyMap<EventId, EventId> {
  const rewrites = new Map<EventId, EventId>();
  const ids = new Set(directives.map(({ id }) => id));
  let open: EventId[] = [];
  for (const event of view.internalEvents) {
    if (ids.has(event.id)) open.push(event.id);
    const isRewrite =
      event.type === 'condensation-revert' ||
      (event.type === 'condensation' && (event.forgottenEventIds.length > 0 || (event.redactions?.length ?? 0) > 0));
    if (!isRewrite) continue;
    for (const id of open) rewrites.set(id, event.id);
    open = [];
  }
  return rewrites;
}

function savingOf(view: View, directive: RelevanceDirective): { readonly target: number; readonly saving: number } {
  const target = view.indexOf(directive.targetEventId);
  const event = target === undefined ? undefined : view.events.at(target);
  if (target === undefined || (event?.type !== 'observation' && event?.type !== 'agent-error')) {
    return { target: 0, saving: 0 };
  }
  const share = 1 - directive.text.length / Math.max(1, resultLength(event));
  return { target, saving: event.redacted === true ? 0 : Math.max(0, view.tokens(target, target + 1) * share) };
}

interface Batch {
  readonly directives: readonly Waiting[];
  readonly effectiveFrom: EventId | undefined;
}

/** Walks through the model calls since the first request, and the coming one. */
function* batchesOf(
  list: { readonly view: View; readonly waiting: readonly Waiting[]; readonly done: readonly Waiting[] },
  rule: BatchingRule,
  context: BatchingContext,
): Generator<Batch> {
  const { view } = list;
  const prices = cachePricesOf({ prices: rule.prices ?? context.prices });
  const { cacheLifeMs = Infinity } = context;
  const done = [...list.done];
  let { waiting } = list;
  const first = waiting.reduce((least, { requestedAt }) => Math.min(least, requestedAt), view.events.length);
  let forgone = 0;
  let response: string | undefined;
  // Where the newest step begins, and when the model answered in it.
  let [newest, answeredAt] = [first, NaN];
  // Words that end the list may come before a call or while it runs, so they do not count at it.
  let settled = first;
  for (let index = first; index <= view.events.length && waiting.length > 0; index++) {
    const event = view.events.at(index);
    const called = event === undefined ? 'now' : view.responseOf(event.id);
    const isCall = called !== undefined && called !== response;
    const asked = waiting.filter(({ requestedAt }) => requestedAt < index);
    if (asked.length > 0 && (isCall || event?.type === 'system-prompt')) {
      const isFree = event?.type === 'system-prompt' || timeAt(index - 1) - answeredAt > cacheLifeMs;
      if (isFree || pays(asked, forgone) || isUnderPressure()) {
        yield { directives: asked, effectiveFrom: event?.id };
        done.push(...asked);
        waiting = waiting.filter((candidate) => !asked.includes(candidate));
        forgone = 0;
      } else {
        forgone += prices.read * savingsOf(asked);
      }
    }
    if (isCall && event !== undefined) newest = index;
    if (called !== undefined && event !== undefined) answeredAt = timeAt(index);
    if (called !== undefined) response = called;
    if (event !== undefined && (called !== undefined || isToolResult(event))) settled = index + 1;
  }

  function pays(asked: readonly Waiting[], forgone: number): boolean {
    const start = Math.min(...asked.map(({ target }) => target)) + 1;
    const end = Math.max(start, newest);
    const inSuffix = [...done, ...asked].filter(({ target }) => target >= start && target < end);
    const suffix = Math.max(0, view.tokens(start, end) - savingsOf(inSuffix));
    const saved = forgone + (1 + rule.expectedCalls) * prices.read * savingsOf(asked);
    return saved >= costOfRewriting(suffix, prices);
  }

  /** The time of an event. NaN where there is none, which is neither before nor after another. */
  function timeAt(index: number): number {
    return Date.parse(view.events.at(index)?.timestamp ?? '');
  }

  function isUnderPressure(): boolean {
    if (context.contextWindow === undefined) return false;
    const budget = context.contextWindow - (context.maxOutputTokens ?? 0) - (context.fixedTokens ?? 0);
    return view.tokens(0, settled) - savingsOf(done) > rule.pressure * budget;
  }
}

function savingsOf(waiting: readonly Waiting[]): number {
  return waiting.reduce((sum, { saving }) => sum + saving, 0);
}
