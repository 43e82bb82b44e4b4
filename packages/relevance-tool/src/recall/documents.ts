import { isToolResult } from '@palimpsest/events';
import type { Event, EventId, ToolContext } from '@palimpsest/events';
import type { HiddenEvents, HiddenReason } from './hidden-events.js';
import { callText, originalOf } from './originals.js';
import { longestCall } from './standing.js';
import type { Standings } from './standing.js';

/** A text of the log that a search may find. */
export interface Document {
  readonly event: Event;
  readonly text: string;
  /** Undefined if the model sees it. */
  readonly reason: HiddenReason | undefined;
}

/**
 * The texts of a log, newest first, hidden or not. Answers of the recall tool and their calls are copies of others and are left
 * out, and so are short calls whose result is hidden too: the result's description holds them whole.
 */
export function documentsOf(
  context: Pick<ToolContext, 'log' | 'event' | 'actionId'>,
  hidden: HiddenEvents,
  standings: Standings,
): readonly Document[] {
  const events = new Map<EventId, Event>();
  // Of events with one id only the first is in the conversation.
  for (const event of context.log) if (!events.has(event.id)) events.set(event.id, event);
  const documents: Document[] = [];
  // The calls of the present response have no results yet.
  const present = hidden.view.responseOf(context.actionId);
  const leftOut = new Set<string>([context.actionId]);
  for (const event of [...events.values()].toReversed()) {
    if (isToolResult(event)) {
      const call = standings.callOf(event);
      if (isRecall(event)) {
        if (call !== undefined) leftOut.add(call.id);
        continue;
      }
      const isShort = call !== undefined && call.thought.length === 0 && callText(call).length <= longestCall;
      if (isShort && hidden.reasonOf(event) !== undefined) leftOut.add(call.id);
    }
    if (leftOut.has(event.id)) continue;
    if (present !== undefined && hidden.view.responseOf(event.id) === present) continue;
    const original = originalOf(event, (id) => context.event(id));
    if (original !== undefined) documents.push({ event, text: original.text, reason: hidden.reasonOf(event) });
  }
  return documents;
}

/** True for an answer of the recall tool. */
export function isRecall(event: Event): boolean {
  return event.type === 'observation' && Array.isArray(event.details?.['recalledEventIds']);
}
