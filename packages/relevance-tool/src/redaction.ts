import { isToolResult, toolResultContent } from '@palimpsest/events';
import type { Event, LLMConvertibleEvent, ToolResultEvent } from '@palimpsest/events';
import { pinStates, redactedCopy, viewOfLog } from '@palimpsest/view';
import type { PinState, View } from '@palimpsest/view';
import { recallToolName, relevanceToolName } from './description.prompt.js';
import type { RelevanceDirective } from './directive.js';
import { neutralizeLabels } from './labels.js';

/** The first words of a redacted result, before the model's reason. */
const defaultMarker = 'Response redacted: ';

/** Returns the text in a redacted result's place: the marker, the model's note, and the tool that returns the original. */
export function redactionNote(
  summary: string,
  options: { readonly marker?: string | undefined; readonly recall?: boolean | undefined } = {},
): string {
  const hint = options.recall === true ? ` (${recallToolName} returns the original)` : '';
  return `${options.marker ?? defaultMarker}${neutralizeLabels(summary.trim())}${hint}`;
}

// As in the view's token estimate: 1,000 tokens of 4 characters.
const charactersPerImage = 4_000;

/** Returns the size of what a model reads of a result, without its label. Unit: characters, an image counted as 4,000. */
export function resultLength(event: ToolResultEvent): number {
  return toolResultContent(event).reduce(
    (sum, part) => sum + (part.type === 'text' ? part.text.length : charactersPerImage),
    0,
  );
}

/** The reason for which a directive changes nothing. */
export interface Problem {
  readonly directive: Event;
  readonly problem: { readonly outcome: string; readonly reason: string };
}

/** Returns the redacted copy for a directive; without one where the view shows it already. */
export function outcomeOf(
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

/** Returns, for a directive whose target was ever pinned, whether it is now, since when, and whether that came after the directive. */
export function pinnedSinceDirective(
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
