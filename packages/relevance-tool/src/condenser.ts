import { isToolResult } from '@palimpsest/events';
import type { CreateEvent, Event, EventId, LLMConvertibleEvent } from '@palimpsest/events';
import type { AttemptReport, CondenseContext, Condenser, Reducer, Replacement, View } from '@palimpsest/view';
import * as z from 'zod/mini';
import { defaultBatchingRule, immediately, inBatches } from './batching.js';
import type { BatchingRule, EffectiveDirective } from './batching.js';
import { directiveEvents, isRelevanceDirective } from './directive.js';
import type { RelevanceDirective } from './directive.js';
import { neutralizedCopy } from './labels.js';
import { outcomeOf, pinnedSinceDirective } from './redaction.js';
import type { Problem } from './redaction.js';
import { redactionOf, reductionOf } from './reduction.js';

/** Options of {@link relevanceCondenser}. */
export interface RelevanceCondenserOptions {
  /**
   * `immediate`: a directive takes effect at the next call, and rewrites the provider's cache from its target on each time.
   * `batched`: directives wait until they pay for one rewrite together. @defaultValue 'immediate'
   */
  readonly apply?: 'immediate' | 'batched';
  /**
   * The rule for when batched directives take effect. A stage of `pricedCondenser` leaves that to it. @defaultValue that of
   * `priced`: no further calls, four fifths of the window
   */
  readonly batching?: Partial<BatchingRule>;
  /** Creates the condensations of a stage of `pricedCondenser`. @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent | undefined;
}

/** A condenser that answers at once, and always with a view. */
export interface RelevanceCondenser extends Condenser {
  condense(view: View, context: CondenseContext): View;
}

/**
 * Replaces results that the model marked by the model's notes: returns a view with redacted copies. The view depends only on the
 * directives in the log, so it is the same after a restart and at every later step. Ids, calls and positions stay. The condenser
 * calls no model, keeps no state, and `condense` never returns a `Condensation`. Without anything to do it returns the given
 * view. It also neutralises text in tool results that reads like a label.
 *
 * With `apply: 'batched'` it is a {@link Reducer}: as a stage of `pricedCondenser` it leaves to the one ledger when the directives
 * take effect, and one condensation redacts the targets of all that wait. A cold cache, or the condensation of another stage, puts
 * them into effect at once.
 *
 * A pinned result is shown whole, whether the pin came before the directive or after it, and is redacted once the pin ends. A
 * directive ends when its target is forgotten.
 *
 * A directive whose target is missing, pinned or unredactable changes nothing and is reported. An effective directive is reported
 * with the tokens that it saves. Each is reported once if the host logs reports as `condensation-attempt`s.
 */
export function relevanceCondenser(
  options: RelevanceCondenserOptions & { readonly apply: 'batched' },
): RelevanceCondenser & Reducer;
export function relevanceCondenser(options?: RelevanceCondenserOptions): RelevanceCondenser;
export function relevanceCondenser(options: RelevanceCondenserOptions = {}): RelevanceCondenser {
  const name = 'relevance';
  if (options.apply !== 'batched')
    return { name, condense: (view, context) => withDirectives(view, context, immediately) };
  const rule = { ...defaultBatchingRule, ...options.batching };
  const reducer: RelevanceCondenser & Reducer = {
    name,
    condense: (view, context) =>
      withDirectives(view, context, (directives) => inBatches(view, directives, rule, context)),
    show: (view, context) => withDirectives(view, context, (directives) => alreadyInEffect(view, directives)),
    estimate: reductionOf,
    reduce: (view) => redactionOf(view, options.createEvent),
  };
  return reducer;
}

/** Returns the view with the copies of the directives in effect, and reports each directive once. */
function withDirectives(
  view: View,
  context: CondenseContext,
  inEffect: (directives: readonly RelevanceDirective[]) => readonly EffectiveDirective[],
): View {
  const claimed = directiveEvents(view);
  const directives = claimed.filter(isRelevanceDirective);
  const pins = pinnedSinceDirective(view, directives);
  const changes = neutralized(view);
  const [lifted, again] = [new Map<EventId, Replacement>(), new Map<EventId, Replacement>()];
  const problems = claimed.filter((event) => !isRelevanceDirective(event)).map(malformed);
  const applied = new Map<EventId, RelevanceDirective>();
  // The last word on a target counts.
  const latest = new Map(inEffect(directives).map((entry) => [entry.directive.targetEventId, entry]));
  for (const { directive, effectiveFrom } of latest.values()) {
    const outcome = outcomeOf(directive, view);
    if ('problem' in outcome) {
      problems.push({ directive, problem: outcome.problem });
      continue;
    }
    const id = directive.targetEventId;
    const pin = pins(directive);
    const since = effectiveFrom === undefined ? {} : { effectiveFrom };
    if (pin?.isPinned === true) {
      problems.push({ directive, problem: { outcome: 'relevance-pinned', reason: 'its target is pinned' } });
      if (!pin.isLater || effectiveFrom === undefined) continue;
    } else {
      applied.set(id, directive);
    }
    const [whole, redacted] = formsOf(view, id, { copy: outcome.event, change: changes.get(id)?.event });
    if (outcome.event !== undefined) changes.set(id, { event: outcome.event, ...since });
    if (pin?.isLater !== true || effectiveFrom === undefined) continue;
    // What was thought before it was lifted, or put back, was thought of another history.
    if (whole !== undefined) lifted.set(id, { event: whole, effectiveFrom: pin.since });
    if (!pin.isPinned && redacted !== undefined) again.set(id, { event: redacted, effectiveFrom: pin.since });
  }
  const result = [changes, lifted, again].reduce(
    (current, replacements) => (replacements.size === 0 ? current : current.replace(replacements)),
    view,
  );
  report({ view, result, applied, problems }, context);
  return result;
}

/** Returns a result as it is read whole and redacted, also where a condensation has redacted it. */
function formsOf(
  view: View,
  id: EventId,
  {
    copy,
    change,
  }: { readonly copy: LLMConvertibleEvent | undefined; readonly change: LLMConvertibleEvent | undefined },
): readonly (LLMConvertibleEvent | undefined)[] {
  const index = view.indexOf(id);
  const current = index === undefined ? undefined : view.events.at(index);
  if (copy !== undefined) return [change ?? current, copy];
  const original = view.original(id);
  return original === undefined || !isToolResult(original) ? [] : [neutralizedCopy(original) ?? original, current];
}

/** Returns the directives that do not wait: a condensation has put them into effect, or nothing ever can. */
function alreadyInEffect(view: View, directives: readonly RelevanceDirective[]): readonly EffectiveDirective[] {
  return directives.flatMap((directive): readonly EffectiveDirective[] => {
    const outcome = outcomeOf(directive, view);
    if ('problem' in outcome) return [{ directive, effectiveFrom: undefined }];
    return outcome.event === undefined ? [{ directive, effectiveFrom: directive.id }] : [];
  });
}

function malformed(directive: Event): Problem {
  return { directive, problem: { outcome: 'relevance-refused', reason: 'it is not a well-formed directive' } };
}

function neutralized(view: View): Map<EventId, Replacement> {
  const changes = new Map<EventId, Replacement>();
  for (const event of view.events) {
    if (!isToolResult(event)) continue;
    const copy = neutralizedCopy(event);
    // It has been so since the result was first sent, so no thinking is older than the change.
    if (copy !== undefined) changes.set(event.id, { event: copy, effectiveFrom: event.id });
  }
  return changes;
}

function report(
  outcome: {
    readonly view: View;
    readonly result: View;
    readonly applied: ReadonlyMap<EventId, RelevanceDirective>;
    readonly problems: readonly Problem[];
  },
  context: CondenseContext,
): void {
  const { view, result, applied, problems } = outcome;
  if (applied.size === 0 && problems.length === 0) return;
  const once = reportOnce(view, context);
  for (const { directive, problem } of problems) {
    once({ ...problem, reason: `directive '${directive.id}': ${problem.reason}` }, [directive.id]);
  }
  let savedTokens = 0;
  for (const id of applied.keys()) {
    const index = result.indexOf(id) ?? 0;
    savedTokens += sizeInLog(view, id) - result.tokens(index, index + 1);
  }
  const ids = [...applied.values()].map(({ id }) => id);
  const reason = `redacted in all: ${applied.size}; about ${Math.round(savedTokens)} tokens less in each call`;
  once({ outcome: 'relevance-applied', reason, data: { eventsMasked: applied.size, savedTokens } }, ids);
}

/** Returns the size of a result as it was logged. Unit: tokens. */
function sizeInLog(view: View, id: EventId): number {
  const original = view.original(id);
  return original === undefined || !isToolResult(original) ? 0 : view.tokensOf(original);
}

const reported = z.object({ directiveIds: z.array(z.string()) });

/**
 * Returns a `report` that reports each outcome of a directive once: it leaves out directives for which the log already holds that outcome,
 * and reports nothing if none is left. Hosts and pipelines may rename the attempt, so only outcome and directives are compared.
 */
function reportOnce(
  view: View,
  context: CondenseContext,
): (attempt: AttemptReport, directiveIds: readonly EventId[]) => void {
  const known = new Set<string>();
  for (const event of view.internalEvents) {
    if (event.type !== 'condensation-attempt' || !event.outcome.startsWith('relevance-')) continue;
    for (const id of reported.safeParse(event.data).data?.directiveIds ?? []) known.add(`${event.outcome} ${id}`);
  }
  return (attempt, ids) => {
    const directiveIds = ids.filter((id) => !known.has(`${attempt.outcome} ${id}`));
    if (directiveIds.length > 0) context.report?.({ ...attempt, data: { ...attempt.data, directiveIds } });
  };
}
