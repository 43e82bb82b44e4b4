import { addressOf, isAddress, isLLMConvertible } from '@palimpsest/events';
import type { Event, EventId, ToolContext } from '@palimpsest/events';
import { bareReference } from './labels.js';

/** What a model's reference names in a log. */
export type Resolution =
  | { readonly type: 'found'; readonly event: Event }
  | { readonly type: 'ambiguous'; readonly candidates: readonly Event[] }
  | { readonly type: 'unknown' };

/**
 * Resolves a reference as a model wrote it: the id of an event, the address of one that a model reads (or of a condensation,
 * for its summary), or the id of a tool call. The log decides which, not the form of the text. An event's own id comes first; of
 * addresses and call ids exactly one event must fit. Cost: one pass over the log, unless it is an event's own id.
 */
export function resolveReference(reference: string, log: Pick<ToolContext, 'log' | 'event'>): Resolution {
  const bare = bareReference(reference);
  const own = log.event(reference) ?? log.event(bare);
  if (own !== undefined) return { type: 'found', event: own };
  const address = isAddress(bare.toLowerCase()) ? bare.toLowerCase() : undefined;
  const candidates = new Map<EventId, Event>();
  for (const event of log.log) {
    // Of events with one id only the first is in the conversation.
    if (candidates.has(event.id)) continue;
    const isNamed = address !== undefined && isAddressed(event) && addressOf(event.id) === address;
    if (isNamed || (event.type === 'action' && event.toolCall.id === bare)) candidates.set(event.id, event);
  }
  const [event, ...others] = candidates.values();
  if (event === undefined) return { type: 'unknown' };
  return others.length === 0 ? { type: 'found', event } : { type: 'ambiguous', candidates: [event, ...others] };
}

function isAddressed(event: Event): boolean {
  return isLLMConvertible(event) || event.type === 'condensation';
}
