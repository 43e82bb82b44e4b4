import { isToolResult } from '@palimpsest/events';
import type { Event, EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { pinStates, redactedCopy, viewOfLog } from '@palimpsest/view';
import type { CondenseContext, Condenser, PinState, Replacement, View } from '@palimpsest/view';
import { directiveEvents, isRelevanceDirective } from './directive.js';
import type { RelevanceDirective } from './directive.js';
import { defaultBatchingRule, immediately, inBatches } from './effective-directives.js';
import type { BatchingRule } from './effective-directives.js';
import { neutralizedCopy } from './labels.js';
import { reportOnce } from './report.js';
import { resultLength } from './redaction-note.js';
import { relevanceToolName } from './tool-names.js';

/** Options of {@link relevanceCondenser}. */
export interface RelevanceCondenserOptions {
  /**
   * `immediate`: a directive takes effect at the next call, and rewrites the provider's cache from its target on each time.
   * `batched`: directives wait until they pay for one rewrite together. @defaultValue 'immediate'
   */
  readonly apply?: 'immediate' | 'batched';
  /** When batched directives take effect. @defaultValue {@link defaultBatchingRule} */
  readonly batching?: Partial<BatchingRule>;
}

/** A condenser that answers at once, and always with a view. */
export interface RelevanceCondenser extends Condenser {
  condense(view: View, context: CondenseContext): View;
}

/**
 * Replaces results that the model marked by the model's notes: returns a view with redacted copies. The view depends only on the
 * directives in the log, so it is the same after a restart and at every later step. Ids, calls and positions stay. The condenser
 * calls no model, keeps no state and never returns a `Condensation`; without anything to do it returns the given view. It also
 * neutralises text in tool results that reads like a label.
 *
 * A pinned result is shown whole, whether the pin came before the directive or after it, and is redacted once the pin ends. A
 * directive ends when its target is forgotten.
 *
 * A directive whose target is missing, pinned or unredactable changes nothing and is reported. An effective directive is reported
 * with the tokens that it saves. Each is reported once if the host logs reports as `condensation-attempt`s.
 */
export function relevanceCondenser(options: RelevanceCondenserOptions = {}): RelevanceCondenser {
  const rule = { ...defaultBatchingRule, ...options.batching };
  return {
    name: 'relevance',
    condense: (view, context) => {
      const claimed = directiveEvents(view);
      const directives = claimed.filter(isRelevanceDirective);
      const effective =
        options.apply === 'batched' ? inBatches(view, directives, rule, context) : immediately(directives);
      // The last word on a target counts.
      const latest = new Map(effective.map((entry) => [entry.directive.targetEventId, entry]));

      const pins = pinnedSinceDirective(view, directives);
      const changes = neutralized(view);
      const [lifted, again] = [new Map<EventId, Replacement>(), new Map<EventId, Replacement>()];
      const problems = claimed.filter((event) => !isRelevanceDirective(event)).map(malformed);
      const applied = new Map<EventId, RelevanceDirective>();
      for (const { directive, effectiveFrom } of latest.values()) {
        const outcome = redaction(directive, view);
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
        if (outcome.event === undefined) continue;
        const shown = changes.get(id)?.event ?? view.events.at(view.indexOf(id) ?? view.events.length);
        changes.set(id, { event: outcome.event, ...since });
        if (pin?.isLater !== true || effectiveFrom === undefined || shown === undefined) continue;
        // What was thought before it was lifted, or put back, was thought of another history.
        lifted.set(id, { event: shown, effectiveFrom: pin.since });
        if (!pin.isPinned) again.set(id, { event: outcome.event, effectiveFrom: pin.since });
      }
      const result = [changes, lifted, again].reduce(
        (shown, replacements) => (replacements.size === 0 ? shown : shown.replace(replacements)),
        view,
      );
      report({ view, result, applied, problems }, context);
      return result;
    },
  };
}

/** For a directive whose target was ever pinned: whether it is now, since when, and whether that came after the directive. */
function pinnedSinceDirective(
  view: View,
  directives: readonly RelevanceDirective[],
): (directive: RelevanceDirective) => (PinState & { readonly isLater: boolean }) | undefined {
  const states = directives.length === 0 ? undefined : pinStates(viewOfLog(view));
  if (states === undefined || states.size === 0) return () => undefined;
  const places = new Map([...view.internalEvents].map(({ id }, place) => [id, place]));
  return ({ id, targetEventId }) => {
    const state = states.get(targetEventId);
    return state && { ...state, isLater: (places.get(state.since) ?? 0) > (places.get(id) ?? 0) };
  };
}

/** Why a directive changes nothing. */
interface Problem {
  readonly directive: Event;
  readonly problem: { readonly outcome: string; readonly reason: string };
}

function malformed(directive: Event): Problem {
  return { directive, problem: { outcome: 'relevance-refused', reason: 'it is not a well-formed directive' } };
}

/** The redacted copy for a directive; without one where the view shows it already. */
function redaction(
  directive: RelevanceDirective,
  view: View,
): { readonly event: LLMConvertibleEvent | undefined } | Pick<Problem, 'problem'> {
  const refused = (reason: string) => ({ problem: { outcome: 'relevance-refused', reason } });
  const index = view.indexOf(directive.targetEventId);
  const event = index === undefined ? undefined : view.events.at(index);
  if (event === undefined) {
    return { problem: { outcome: 'relevance-missing', reason: 'its target is not in the view' } };
  }
  // The tool allows no such thing, but logs can be imported and edited.
  if (event.type !== 'observation' && event.type !== 'agent-error') return refused(`its target is a ${event.type}`);
  if (event.toolName === relevanceToolName) return refused("its target is an answer of the relevance tool's own");
  const copy = redactedCopy(event, { text: directive.text });
  if (event.redacted === true) {
    const isOwn = copy !== undefined && isToolResult(copy) && JSON.stringify(copy) === JSON.stringify(event);
    if (isOwn) return { event: undefined };
    return { problem: { outcome: 'relevance-superseded', reason: 'its target is redacted by a condensation' } };
  }
  if (directive.text.length >= resultLength(event)) return refused('its text is not shorter than what it replaces');
  return { event: copy };
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

/** The size of an event as the log's own view has it. Unit: tokens. */
function sizeInLog(view: View, id: EventId): number {
  const stored = viewOfLog(view);
  const index = stored.indexOf(id);
  return index === undefined ? 0 : stored.tokens(index, index + 1);
}
