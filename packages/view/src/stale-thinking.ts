import {
  knownThinking,
  messageContent,
  summaryContent,
  systemPromptContent,
  toolResultContent,
} from '@palimpsest/events';
import type { EventId, LLMConvertibleEvent, SystemPromptEvent } from '@palimpsest/events';
import { hasPendingCall, isAnsweredInPlace } from './batches.js';
import type { Batch, Call } from './batches.js';
import type { CutPoints } from './cut-points.js';
import { batchesInList } from './list-analysis.js';
import type { ListSnapshot } from './list-analysis.js';
import { sentOrder } from './sent-order.js';
import type { ListOrder, SentItem } from './sent-order.js';

/** One part of the sent content that an edit can change. */
interface SentPart {
  readonly event: LLMConvertibleEvent;
  readonly sentId: string | undefined;
  readonly index: number;
  /** The event whose thinking is sent before this part. */
  readonly carrier: EventId | undefined;
}

/** True for an event that carries sendable signed thinking. */
export function carriesThinking(event: LLMConvertibleEvent): boolean {
  if ((event.type !== 'action' && event.type !== 'message') || event.thinkingBlocks === undefined) return false;
  return (knownThinking(event).thinkingBlocks ?? []).length > 0;
}

/**
 * The events of `after` whose signed thinking no longer verifies after the edit from `before` to `after`: those after the first
 * sent part that the edit changed. The open batch of the log counts too, because it was made before the edit although it is not
 * sent yet.
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

/** A list that is sent, for {@link staleBehindFirstUnit}. */
interface SentList {
  readonly list: ListSnapshot;
  readonly system: SystemPromptEvent | undefined;
}

/**
 * {@link staleAfterEdit} at a cost linear in the events after the edit. Most edits change the unit in which they begin, so
 * comparing that unit, or a few more where nothing of it is sent, is enough. Undefined if the comparison does not decide.
 */
export function staleBehindFirstUnit(
  before: SentList & { readonly cutPoints: CutPoints },
  after: SentList,
  firstChanged: number,
): ReadonlySet<EventId> | undefined {
  const { cutPoints } = before;
  const from = cutPoints.atOrBefore(firstChanged);
  if (from === undefined || before.system !== after.system) return undefined;
  let end = cutPoints.atOrAfter(firstChanged + 1);
  while (end !== undefined) {
    const afterEnd = endOfBatches(after.list, from, end);
    const [beforeUnits, afterUnits] = [partOf(before.list, from, end), partOf(after.list, from, afterEnd)];
    if (beforeUnits === undefined || afterUnits === undefined) return undefined;
    const beforeParts = partsOf(sentOrder(beforeUnits));
    const afterParts = partsOf(sentOrder(afterUnits));
    const first = firstDifference(beforeParts, afterParts);
    const [changed, replacement] = [beforeParts[first], afterParts[first]];
    if (changed !== undefined && replacement !== undefined) {
      const kept = new Set(afterParts.slice(0, first).map(({ carrier }) => carrier));
      // The thinking of a response is sent before its own calls and results.
      if (changed.event.id === replacement.event.id) kept.add(replacement.carrier);
      return thinkingFrom(after.list, firstChanged, kept);
    }
    // Twice as many, so that the whole is compared at most twice.
    end = end < before.list.length ? cutPoints.atOrAfter(Math.min(2 * end - from, before.list.length)) : undefined;
  }
  return undefined;
}

/** The events of a list from an index on that carry thinking, without some. */
function thinkingFrom(
  { events, length }: ListSnapshot,
  from: number,
  kept: ReadonlySet<EventId | undefined>,
): ReadonlySet<EventId> {
  const thinking = new Set<EventId>();
  for (let index = from; index < length; index++) {
    const event = events[index] as LLMConvertibleEvent;
    if (carriesThinking(event) && !kept.has(event.id)) thinking.add(event.id);
  }
  return thinking;
}

/** The index, at or after `end`, that follows the last result in place of every batch that begins in a part of a list. */
function endOfBatches(list: ListSnapshot, from: number, end: number): number {
  const begun = new Set<Batch>();
  const unanswered = new Set<Call>();
  let index = from;
  for (; index < list.length && (index < end || unanswered.size > 0); index++) {
    const call = list.calls[index];
    if (call === undefined) continue;
    if (list.events[index]?.type !== 'action') {
      unanswered.delete(call);
    } else if (!begun.has(call.batch)) {
      begun.add(call.batch);
      for (const one of call.batch.calls) if (isAnsweredInPlace(one, list.position)) unanswered.add(one);
    }
  }
  return index;
}

/**
 * A part of a list that cuts no batch. Undefined if it depends on the rest: it contains a system prompt or half of a late pair.
 */
function partOf(list: ListSnapshot, from: number, end: number): ListSnapshot | undefined {
  const events = list.events.slice(from, end);
  const calls = list.calls.slice(from, end);
  if (events.some(({ type }) => type === 'system-prompt') || calls.some((call) => call?.late)) return undefined;
  return { events, calls, length: events.length, position: list.position };
}

/** A copy that changes what is sent. */
export interface SentEdit {
  readonly copy: LLMConvertibleEvent;
  /** The position of the log at which the copy took effect. */
  readonly position: number;
}

/**
 * The events whose signed thinking no longer verifies because copies take the place of some events: those sent after a copy and
 * made before the copy took effect.
 *
 * @param order - with or without the copies: they change no place in it
 */
export function staleAfterReplacing(
  { system, items }: { readonly system: SystemPromptEvent | undefined; readonly items: Iterable<SentItem> },
  edits: ReadonlyMap<EventId, SentEdit>,
  positionOf: (id: EventId) => number | undefined,
): ReadonlySet<EventId> {
  const stale = new Set<EventId>();
  if (edits.size === 0) return stale;
  const scan = new StaleScan(edits, positionOf, (system && edits.get(system.id)?.position) ?? -1);
  for (const item of items) {
    const id = scan.next(item);
    if (id !== undefined) stale.add(id);
  }
  return stale;
}

/** Reads items in sending order and finds the thinking that copies before it make stale. */
export class StaleScan {
  readonly #edits: ReadonlyMap<EventId, SentEdit>;
  readonly #positionOf: (id: EventId) => number | undefined;
  #position: number;

  /** @param position - the position of the log before which the thinking of the first item is stale */
  constructor(
    edits: ReadonlyMap<EventId, SentEdit>,
    positionOf: (id: EventId) => number | undefined,
    position: number,
  ) {
    this.#edits = edits;
    this.#positionOf = positionOf;
    this.#position = position;
  }

  /** The position of the log before which the thinking of the next item is stale. */
  get position(): number {
    return this.#position;
  }

  /** Reads the next item. Returns the event of it whose thinking is stale. */
  next(item: SentItem): EventId | undefined {
    switch (item.kind) {
      case 'words': {
        const stale = this.#staleId(this.#edits.get(item.event.id)?.copy ?? item.event);
        this.#read(item.event);
        return stale;
      }
      case 'late':
        this.#read(item.call.event);
        this.#read(item.result.event);
        return undefined;
      case 'batch': {
        const [carrier] = item.response;
        const stale = carrier && this.#staleId(carrier);
        for (const { event } of item.calls) this.#read(event);
        for (const { event } of item.results) this.#read(event);
        return stale;
      }
    }
  }

  #read({ id }: LLMConvertibleEvent): void {
    this.#position = Math.max(this.#position, this.#edits.get(id)?.position ?? -1);
  }

  #staleId(event: LLMConvertibleEvent): EventId | undefined {
    return carriesThinking(event) && (this.#positionOf(event.id) ?? -1) < this.#position ? event.id : undefined;
  }
}

function partsOf(order: ListOrder): readonly SentPart[] {
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
        add(item.call.event, item.index, item.call.sentId);
        add(item.result.event, item.index, item.result.sentId);
        break;
      case 'batch': {
        const [carrier] = item.response;
        const thinking = carrier !== undefined && carriesThinking(carrier) ? carrier.id : undefined;
        item.calls.forEach(({ event, sentId }, position) =>
          add(event, item.index, sentId, position === 0 ? thinking : undefined),
        );
        for (const result of item.results) add(result.event, item.index + 1);
      }
    }
  }
  return parts;
}

function firstDifference(a: readonly SentPart[], b: readonly SentPart[]): number {
  let first = 0;
  while (first < a.length && first < b.length && isSame(a[first], b[first])) first++;
  return first;
}

function isSame(a: SentPart | undefined, b: SentPart | undefined): boolean {
  if (a === undefined || b === undefined || a.sentId !== b.sentId) return false;
  return a.event === b.event || JSON.stringify(sentContent(a.event)) === JSON.stringify(sentContent(b.event));
}

/** The content of an event that a model reads, for comparison. */
export function sentContent(event: LLMConvertibleEvent): unknown {
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
