import {
  knownThinking,
  messageContent,
  summaryContent,
  systemPromptContent,
  toolResultContent,
} from '@palimpsest/events';
import type { EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { hasPendingCall } from './calls.js';
import type { Batch } from './calls.js';
import { sendOrder } from './send-order.js';
import type { SendOrder } from './send-order.js';
import type { StoredList } from './stored-list.js';

/** One part of the sent content that an edit can change. */
interface SentPart {
  readonly event: LLMConvertibleEvent;
  readonly sentId: string | undefined;
  readonly index: number;
  /** The event whose thinking is sent before this part. */
  readonly carrier: EventId | undefined;
}

/** Returns true for an event that carries sendable signed thinking. */
export function carriesThinking(event: LLMConvertibleEvent): boolean {
  if ((event.type !== 'action' && event.type !== 'message') || event.thinkingBlocks === undefined) return false;
  return (knownThinking(event).thinkingBlocks ?? []).length > 0;
}

/**
 * Finds the events of `after` whose signed thinking no longer verifies after the edit from `before` to `after`: those after the
 * first sent part that the edit changed. The open batch of the log counts too, because it was made before the edit although it
 * is not sent yet.
 */
export function staleAfterEdit(before: StoredList, after: StoredList, open: Batch | undefined): ReadonlySet<EventId> {
  const stale = new Set<EventId>();
  if (!after.events.some(carriesThinking)) return stale;
  const [partsBefore, partsAfter] = [partsOf(sendOrder(before)), partsOf(sendOrder(after))];
  let first = 0;
  while (first < partsBefore.length && first < partsAfter.length && isSame(partsBefore[first], partsAfter[first]))
    first++;
  const [changed, replacement] = [partsBefore[first], partsAfter[first]];
  if (changed === undefined && replacement === undefined) return stale;

  for (const part of partsAfter.slice(first)) {
    // The thinking of a response is sent before its own calls and results.
    const isOwnEdit = part === replacement && changed?.event.id === part.event.id;
    if (part.carrier !== undefined && !isOwnEdit) stale.add(part.carrier);
  }
  const carrier = open?.calls[0]?.action;
  if (open !== undefined && carrier !== undefined && carriesThinking(carrier) && hasPendingCall(open, after.position)) {
    // A revert compares two folds of the log, each with batches of its own. Their events are the same.
    const isBefore = (part: SentPart | undefined, { events }: StoredList): boolean =>
      part !== undefined && part.index < events.findIndex(({ id }) => id === carrier.id);
    if (isBefore(changed, before) || isBefore(replacement, after)) stale.add(carrier.id);
  }
  return stale;
}

/** A copy in the place of an event. */
export interface SentEdit {
  readonly old: LLMConvertibleEvent;
  readonly copy: LLMConvertibleEvent;
  /** The position of the log at which the copy took effect. */
  readonly position: number;
}

/**
 * Finds the events whose signed thinking no longer verifies because copies take the place of some events: those sent after a
 * copy and made before the copy took effect.
 *
 * @param order - with the copies
 */
export function staleAfterReplacing(
  { system, items }: Pick<SendOrder, 'system' | 'items'>,
  edits: ReadonlyMap<EventId, SentEdit>,
  positionOf: (id: EventId) => number | undefined,
): ReadonlySet<EventId> {
  const stale = new Set<EventId>();
  /** The position of the log before which thinking is stale. */
  let position = -1;
  const read = (event: LLMConvertibleEvent | undefined): void => {
    const edit = event && edits.get(event.id);
    if (edit === undefined || edit.position <= position || isSentAlike(edit.old, edit.copy)) return;
    position = edit.position;
  };
  const carry = (event: LLMConvertibleEvent | undefined): void => {
    if (event !== undefined && carriesThinking(event) && (positionOf(event.id) ?? -1) < position) stale.add(event.id);
  };
  read(system);
  for (const item of items) {
    if (item.kind === 'words') {
      carry(item.event);
      read(item.event);
    } else {
      if (item.kind === 'batch') carry(item.response[0]);
      const calls = item.kind === 'batch' ? [...item.calls, ...item.results] : [item.call, item.result];
      for (const { event } of calls) read(event);
    }
  }
  return stale;
}

function partsOf({ system, items }: SendOrder): readonly SentPart[] {
  const parts: SentPart[] = [];
  const add = (event: LLMConvertibleEvent, index: number, sentId?: string, carrier?: EventId): void => {
    parts.push({ event, sentId, index, carrier });
  };
  if (system !== undefined) add(system, -1);
  for (const item of items) {
    switch (item.kind) {
      case 'words':
        add(item.event, item.index, undefined, carriesThinking(item.event) ? item.event.id : undefined);
        break;
      case 'late':
        add(item.call.event, item.index, item.call.sentId);
        add(item.result.event, item.index, item.result.sentId);
        break;
      case 'batch': {
        const [carrier] = item.response;
        const thinking = carrier !== undefined && carriesThinking(carrier) ? carrier.id : undefined;
        for (const [place, { event, sentId }] of item.calls.entries()) {
          add(event, item.index, sentId, place === 0 ? thinking : undefined);
        }
        for (const result of item.results) add(result.event, item.index + 1);
      }
    }
  }
  return parts;
}

function isSame(a: SentPart | undefined, b: SentPart | undefined): boolean {
  return a !== undefined && b !== undefined && a.sentId === b.sentId && isSentAlike(a.event, b.event);
}

/** Returns true if a model reads the same content of both events. */
export function isSentAlike(a: LLMConvertibleEvent, b: LLMConvertibleEvent): boolean {
  return a === b || JSON.stringify(sentContent(a)) === JSON.stringify(sentContent(b));
}

/** The content of an event that a model reads, for comparison. */
function sentContent(event: LLMConvertibleEvent): unknown {
  switch (event.type) {
    case 'system-prompt':
      return ['system', systemPromptContent(event), event.tools];
    case 'message':
      return [event.role, messageContent(event), event.thinkingBlocks, event.reasoningItems, event.reasoningContent];
    case 'condensation-summary':
      return ['user', summaryContent(event)];
    case 'action':
      return [
        'call',
        event.thought,
        event.toolCall,
        event.thinkingBlocks,
        event.reasoningItems,
        event.reasoningContent,
      ];
    default:
      return [
        'result',
        event.toolName,
        toolResultContent(event),
        event.type === 'observation' && event.isError !== true,
      ];
  }
}
