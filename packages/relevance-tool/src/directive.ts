import { eventBaseSchema, isLLMConvertible } from '@palimpsest/events';
import type { CustomEvent, Event, EventId } from '@palimpsest/events';
import { viewOfLog } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import * as z from 'zod/mini';

/** The type of {@link RelevanceDirective}. */
export const relevanceDirectiveType = 'relevance/directive';

const text = z.string().check(z.minLength(1));

/** The schema of {@link RelevanceDirective}, of zod/mini. */
const relevanceDirectiveSchema = z.extend(eventBaseSchema, {
  type: z.literal(relevanceDirectiveType),
  source: z.literal('environment'),
  requestedEventId: text,
  targetEventId: text,
  toolCallId: text,
  summary: text,
  text: text,
  requestingActionId: z.exactOptional(text),
  llmResponseId: z.exactOptional(text),
  agentStepIndex: z.exactOptional(z.int().check(z.minimum(0))),
});

/**
 * The model's statement that a tool result no longer matters. Internal: no model reads it, and it stays in force until a
 * condensation forgets it or its target.
 *
 * `targetEventId` is the result, and `requestedEventId` is what the model called it. `toolCallId` is the call that it answers.
 * `summary` is the model's reason, `text` all that the model will read in the result's place: it is fixed here, so that it is the
 * text whose length was checked, and a later change of settings rewrites nothing. `requestingActionId`, `llmResponseId` and
 * `agentStepIndex` (the number of model responses before it) say where the request was made.
 */
export type RelevanceDirective = Readonly<z.infer<typeof relevanceDirectiveSchema>> & CustomEvent;

/**
 * Returns the directives in force, in the order in which they were issued: those of the log that are well-formed, of which no
 * condensation in force has forgotten them or their target. A revert brings both back. They are never among `view.events`.
 */
export function relevanceDirectives(view: View): readonly RelevanceDirective[] {
  return directiveEvents(view).filter(isRelevanceDirective);
}

/** Returns true for a well-formed directive. */
export function isRelevanceDirective(event: Event): event is RelevanceDirective {
  return event.type === relevanceDirectiveType && relevanceDirectiveSchema.safeParse(event).success;
}

/** Returns the events that claim to be directives, of which no condensation in force has forgotten them or their target. */
export function directiveEvents(view: View): readonly Event[] {
  const events: Event[] = [];
  for (const event of view.internalEvents) if (event.type === relevanceDirectiveType) events.push(event);
  if (events.length === 0) return events;
  const ids = new Set<EventId>(events.map(({ id }) => id));
  for (const { forgottenEventIds } of view.condensations) for (const id of forgottenEventIds) ids.delete(id);
  return events.filter((event) => ids.has(event.id) && !isTargetForgotten(event, view));
}

/** Returns true if a directive's target is forgotten. A target that the log does not hold is not forgotten, but missing. */
function isTargetForgotten(directive: Event, view: View): boolean {
  const id: unknown = 'targetEventId' in directive ? directive.targetEventId : undefined;
  if (typeof id !== 'string' || viewOfLog(view).indexOf(id) !== undefined) return false;
  const target = view.original(id);
  return target !== undefined && isLLMConvertible(target);
}
