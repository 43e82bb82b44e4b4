import type { Condensation, CreateEvent, LLMConvertibleEvent, Redaction } from '@palimpsest/events';
import { condensation, keptEventIds, newestStep, NoCondensationAvailableError } from '@palimpsest/view';
import type { Reduction, View } from '@palimpsest/view';
import { relevanceDirectives } from './directive.js';
import type { RelevanceDirective } from './directive.js';
import { outcomeOf } from './redaction.js';

/** A directive that could take effect now. */
export interface WaitingDirective {
  readonly directive: RelevanceDirective;
  /** The index of its target in the view. */
  readonly target: number;
  /** Unit: tokens, as the view estimates. */
  readonly savedTokens: number;
}

/**
 * Returns the directives of a view that no condensation has put into effect: the newest for each target that may be redacted. Costs
 * O(directives).
 */
function waitingDirectives(view: View): readonly WaitingDirective[] {
  const latest = new Map(relevanceDirectives(view).map((directive) => [directive.targetEventId, directive]));
  const kept = latest.size === 0 ? undefined : keptEventIds(view);
  const waiting: WaitingDirective[] = [];
  for (const [id, directive] of latest) {
    const outcome = outcomeOf(directive, view);
    const target = view.indexOf(id);
    if ('problem' in outcome || outcome.event === undefined || target === undefined || kept?.has(id) === true) continue;
    const savedTokens = view.tokens(target, target + 1) - view.tokensOf(outcome.event);
    if (savedTokens > 0) waiting.push({ directive, target, savedTokens });
  }
  return waiting;
}

/**
 * Returns the effect of redacting the targets of all waiting directives. Undefined if none waits, and on a request, which asks for
 * room that notes of the model do not promise.
 */
export function reductionOf(view: View): Reduction | undefined {
  const waiting = view.unhandledCondensationRequest ? [] : waitingDirectives(view);
  if (waiting.length === 0) return undefined;
  const { start } = newestStep(view);
  const first = Math.min(...waiting.map(({ target }) => target));
  const sum = (list: readonly WaitingDirective[]): number =>
    list.reduce((all, { savedTokens }) => all + savedTokens, 0);
  const before = sum(waiting.filter(({ target }) => target < start));
  return {
    savedTokens: sum(waiting),
    rewrittenTokens: Math.max(0, view.tokens(first, Math.max(first, start)) - before),
    savedShare: 0,
    readTokens: readSinceIssued(view, waiting),
  };
}

/** Returns the tokens that the calls since each directive was issued have read of its target. Costs O(events since the first of them). */
function readSinceIssued(view: View, waiting: readonly WaitingDirective[]): number {
  const issuedAt = (directive: RelevanceDirective): number =>
    (directive.requestingActionId === undefined ? undefined : view.indexOf(directive.requestingActionId)) ?? Infinity;
  const open = waiting
    .map(({ directive, savedTokens }) => ({ at: issuedAt(directive), savedTokens }))
    .filter(({ at }) => at !== Infinity)
    .sort((a, b) => a.at - b.at);
  const [first] = open;
  if (first === undefined) return 0;
  let [read, saved, next] = [0, 0, 0];
  for (let index = first.at; index < view.events.length; index++) {
    const { id } = view.events.at(index) as LLMConvertibleEvent;
    const response = view.responseOf(id);
    if (response === id && index > first.at) read += saved;
    for (let entry = open[next]; entry !== undefined && entry.at <= index; entry = open[++next])
      saved += entry.savedTokens;
  }
  return read;
}

/**
 * Returns a condensation that redacts the targets of all waiting directives.
 *
 * @throws {@link NoCondensationAvailableError} when none waits.
 */
export function redactionOf(view: View, createEvent: CreateEvent | undefined): Condensation {
  const waiting = waitingDirectives(view);
  if (waiting.length === 0) throw new NoCondensationAvailableError('no directive waits');
  const redactions: readonly Redaction[] = waiting.map(({ directive: { targetEventId, text } }) => ({
    eventId: targetEventId,
    text,
  }));
  const directiveIds = waiting.map(({ directive }) => directive.id);
  return condensation({ view, redactions, metadata: { condenser: 'relevance', directiveIds }, createEvent });
}
