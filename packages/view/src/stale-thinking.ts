import { messageContent, summaryContent, systemPromptContent, toolResultContent } from '@palimpsest/events';
import type { EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { hasPendingCall } from './batches.js';
import type { Batch } from './batches.js';
import { batchesInList, sentOrder } from './list-analysis.js';
import type { ListSnapshot, SentOrder } from './list-analysis.js';

/** One part of what is sent, as far as an edit can change it. */
interface SentPart {
  readonly event: LLMConvertibleEvent;
  readonly sentId: string | undefined;
  readonly index: number;
  /** The event whose thinking stands before this part. */
  readonly carrier: EventId | undefined;
}

/** True for an event that carries signed thinking. */
export function carriesThinking(event: LLMConvertibleEvent): boolean {
  return (event.type === 'action' || event.type === 'message') && (event.thinkingBlocks?.length ?? 0) > 0;
}

/**
 * The events of `after` whose signed thinking no longer verifies when the list is edited from `before` to `after`: those
 * that stand after the first thing sent that the edit changed. What was made before the edit and is not sent yet, the open
 * batch of the log, counts too.
 */
export function staleAfterEdit(
  before: ListSnapshot,
  after: ListSnapshot,
  open: Batch | undefined,
): ReadonlySet<EventId> {
  const beforeParts = partsOf(sentOrder(before));
  const afterParts = partsOf(sentOrder(after));
  let first = 0;
  while (first < beforeParts.length && first < afterParts.length && isSame(beforeParts[first], afterParts[first]))
    first++;
  const stale = new Set<EventId>();
  if (first === beforeParts.length && first === afterParts.length) return stale;

  const [changed, replacement] = [beforeParts[first], afterParts[first]];
  for (const part of afterParts.slice(first)) {
    const ownEdit = part === replacement && changed?.event.id === part.event.id;
    if (part.carrier !== undefined && !ownEdit) stale.add(part.carrier);
  }
  const carrier = open?.calls[0]?.action;
  if (open !== undefined && carrier !== undefined && carriesThinking(carrier) && hasPendingCall(open, after.position)) {
    const isBefore = (part: SentPart | undefined, list: ListSnapshot): boolean =>
      part !== undefined && part.index < (batchesInList(list).get(open)?.index ?? 0);
    if (isBefore(changed, before) || isBefore(replacement, after)) stale.add(carrier.id);
  }
  return stale;
}

/**
 * The events of `after` whose signed thinking no longer verifies because copies stand in the list: those that are sent after
 * a copy and were made before it took effect. `edits` says for each copy since which position of the log it stands.
 */
export function staleAfterReplacing(
  after: ListSnapshot,
  edits: ReadonlyMap<EventId, number>,
  positionOf: (id: EventId) => number | undefined,
): ReadonlySet<EventId> {
  const stale = new Set<EventId>();
  let effective = -1;
  for (const { event, carrier } of partsOf(sentOrder(after))) {
    if (carrier !== undefined && (positionOf(carrier) ?? -1) < effective) stale.add(carrier);
    effective = Math.max(effective, edits.get(event.id) ?? -1);
  }
  return stale;
}

function partsOf(order: SentOrder): readonly SentPart[] {
  const parts: SentPart[] = [];
  const add = (event: LLMConvertibleEvent, index: number, sentId?: string, carrier?: EventId): void => {
    parts.push({ event, sentId, index, carrier });
  };
  if (order.system !== undefined) add(order.system, -1);
  for (const item of order.items) {
    switch (item.kind) {
      case 'words':
        add(item.event, item.index, undefined, carriesThinking(item.event) ? item.event.id : undefined);
        break;
      case 'late':
        add(item.action, item.index, item.call.sentId);
        add(item.result, item.index, item.call.sentId);
        break;
      case 'batch': {
        const carrier = item.batch.batch.calls[0]?.action;
        const thinking = carrier !== undefined && carriesThinking(carrier) ? carrier.id : undefined;
        item.batch.actions.forEach(({ event, call }, position) =>
          add(event, item.index, call.sentId, position === 0 ? thinking : undefined),
        );
        for (const result of item.batch.results) add(result, item.index + 1);
      }
    }
  }
  return parts;
}

function isSame(a: SentPart | undefined, b: SentPart | undefined): boolean {
  if (a === undefined || b === undefined || a.sentId !== b.sentId) return false;
  return a.event === b.event || JSON.stringify(sentContent(a.event)) === JSON.stringify(sentContent(b.event));
}

/** What of an event a model reads, for comparison. */
export function sentContent(event: LLMConvertibleEvent): unknown {
  switch (event.type) {
    case 'system-prompt':
      return ['system', systemPromptContent(event), event.tools];
    case 'message':
      return [event.role, messageContent(event), event.thinkingBlocks, event.reasoningItem, event.reasoningContent];
    case 'condensation-summary':
      return ['user', summaryContent(event)];
    case 'action':
      return ['call', event.thought, event.toolCall, event.thinkingBlocks, event.reasoningItem, event.reasoningContent];
    default:
      return [
        'result',
        event.toolName,
        toolResultContent(event),
        event.type === 'observation' && event.isError !== true,
      ];
  }
}
