import { isLLMConvertible } from '@palimpsest/events';
import type { EventId, LLMConvertibleEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';

/** An event of the log, as a digest reads it. */
export interface LoggedEvent {
  /** As it was logged. */
  readonly event: LLMConvertibleEvent;
  /** As the model goes on reading it: whole, or masked. Undefined if it is forgotten. */
  readonly shown: LLMConvertibleEvent | undefined;
  /** The number of model responses up to it. */
  readonly step: number;
}

/**
 * Returns the events of the log in order, without summaries: those that stay in the view, those that go now, and those that condensations in
 * force have forgotten. What the model itself has dismissed is left out.
 */
export function loggedEvents(view: View, going: readonly LLMConvertibleEvent[]): readonly LoggedEvent[] {
  const found = new Map<EventId, { readonly event: LLMConvertibleEvent; readonly position: number }>();
  const shown = new Map(view.events.map((event) => [event.id, event]));
  for (const { id } of going) shown.delete(id);
  const dismissed = dismissedIds(view);
  const add = (id: EventId): void => {
    const position = view.positionOf(id);
    const event = position === undefined ? undefined : view.original(id);
    if (position === undefined || event === undefined || !isLLMConvertible(event)) return;
    if (!dismissed.has(id) || shown.has(id)) found.set(id, { event, position });
  };
  for (const { id } of view.events) add(id);
  for (const { forgottenEventIds } of view.condensations) forgottenEventIds.forEach(add);
  let step = 0;
  let response: EventId | undefined;
  return [...found.values()]
    .sort((a, b) => a.position - b.position)
    .map(({ event }) => {
      const own = event.type === 'observation' ? undefined : view.responseOf(event.id);
      if (own !== undefined && own !== response) [step, response] = [step + 1, own];
      return { event, shown: shown.get(event.id), step };
    });
}

/** The results that the model's own directives have masked: it has said that they no longer matter. */
function dismissedIds({ condensations }: View): ReadonlySet<EventId> {
  const byDirective = condensations.filter(({ metadata }) => metadata?.['directiveIds'] !== undefined);
  return new Set(byDirective.flatMap(({ redactions = [] }) => redactions.map(({ eventId }) => eventId)));
}
