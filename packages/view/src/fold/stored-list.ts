import {
  isKnownContent,
  isSentRole,
  isToolResult,
  knownThinking,
  messageContent,
  summaryContent,
} from '@palimpsest/events';
import type {
  ActionEvent,
  CondensationSummaryEvent,
  EventId,
  LLMConvertibleEvent,
  MessageEvent,
  ToolResultEvent,
} from '@palimpsest/events';
import { hasPendingCall, isAnsweredInPlace, isNewestResult } from './calls.js';
import type { Batch, Call } from './calls.js';

/** The result of the fold at a position of the log. Send order, cut points and stale thinking are functions of it. */
export interface StoredList {
  readonly events: readonly LLMConvertibleEvent[];
  /** For each event, the call that it makes or answers; undefined for any other event. */
  readonly calls: readonly (Call | undefined)[];
  /** The number of events that the log had. */
  readonly position: number;
}

/** A call that is sent, and the id under which it is sent: its own id, or an alias if the id is taken or providers refuse it. */
export interface SentCall {
  readonly event: ActionEvent;
  readonly sentId: string;
}

/** A result that is sent, and the sent id of the call that it answers. */
export interface SentResult {
  readonly event: ToolResultEvent;
  readonly sentId: string;
}

/** The part of a batch that is in a stored list. */
export interface BatchInList {
  readonly batch: Batch;
  /** The index of its first action. */
  readonly index: number;
  /** The index of its last result in place; -1 if there is none. */
  lastResult: number;
  /** The actions with a result in place, and those results. */
  readonly calls: SentCall[];
  readonly results: SentResult[];
  /**
   * `sent`; `split`: a part of the batch is forgotten; `waiting`: some calls are answered and some are pending; `unanswered`:
   * no call is answered in place.
   */
  state: 'sent' | 'split' | 'waiting' | 'unanswered';
}

/** Finds the batches that have an action in the list, in the order of their first actions. */
export function batchesInList({ events, calls, position }: StoredList): ReadonlyMap<Batch, BatchInList> {
  const batches = new Map<Batch, BatchInList>();
  for (let index = 0; index < events.length; index++) {
    const call = calls[index];
    if (call === undefined || call.repeated) continue;
    const event = events[index] as LLMConvertibleEvent;
    const { batch, sentId } = call;
    let entry = batches.get(batch);
    if (event.type === 'action') {
      if (entry === undefined) {
        entry = { batch, index, lastResult: -1, calls: [], results: [], state: 'unanswered' };
        batches.set(batch, entry);
      }
      if (isAnsweredInPlace(call, position)) entry.calls.push({ event, sentId });
    } else if (entry !== undefined && !call.late && isToolResult(event) && isNewestResult(call, event.id, position)) {
      entry.results.push({ event, sentId });
      entry.lastResult = index;
    }
  }
  for (const entry of batches.values()) {
    entry.state = stateOf(entry, events, position);
    if (entry.batch.calls.some(({ results }) => results.length > 1)) sortByFirstResult(entry);
  }
  return batches;
}

function stateOf(
  { batch, index, calls, results }: BatchInList,
  events: StoredList['events'],
  position: number,
): BatchInList['state'] {
  let answered = 0;
  for (const call of batch.calls) if (isAnsweredInPlace(call, position)) answered++;
  if (answered === 0) return 'unanswered';
  const isWhole = calls.length === answered && results.length === answered;
  // The first action carries the thought and the thinking of its batch, so a batch without it is incomplete.
  if (!isWhole || batch.actions[0]?.id !== events[index]?.id) return 'split';
  return hasPendingCall(batch, position) ? 'waiting' : 'sent';
}

/** A result that replaces an earlier one stands in its place. */
function sortByFirstResult({ batch, results }: BatchInList): void {
  const places = new Map(batch.calls.map(({ sentId, answeredAt }) => [sentId, answeredAt]));
  results.sort((a, b) => (places.get(a.sentId) ?? 0) - (places.get(b.sentId) ?? 0));
}

/** The indices of the events of a list by their ids. */
export function indicesOf(events: readonly LLMConvertibleEvent[]): ReadonlyMap<EventId, number> {
  const indices = new Map<EventId, number>();
  for (let index = 0; index < events.length; index++) indices.set((events[index] as LLMConvertibleEvent).id, index);
  return indices;
}

/** True for a message or summary that is sent: it has text that is not blank, an image, or thinking without words. */
export function hasContent(event: MessageEvent | CondensationSummaryEvent): boolean {
  if (event.type === 'condensation-summary') return summaryContent(event).length > 0;
  if (!isSentRole(event.role)) return false;
  if (messageContent(event).length > 0) return true;
  if (event.role === 'user') return false;
  const { thinkingBlocks = [], reasoningItems = [] } = knownThinking(event);
  return thinkingBlocks.length > 0 || reasoningItems.length > 0;
}

/** The reason why a message or summary without content is not sent. */
export function whyEmpty(event: MessageEvent | CondensationSummaryEvent): string {
  if (event.type !== 'message') return reasons.empty;
  if (!isSentRole(event.role)) return reasons.unknownRole;
  return event.content.every(isKnownContent) ? reasons.empty : reasons.unknownContent;
}

/** The reasons why an event of the stored list is not sent. */
export const reasons = {
  unmatched: 'a result without a call that waits for one',
  answeredAgain: 'a newer result of its call is sent in its place',
  callForgotten: 'the call that it answers is forgotten',
  split: 'a part of its batch is forgotten',
  waiting: 'waits for the results of an open batch',
  unanswered: 'a call without a result',
  repeated: 'a call with the id of a call that is still open',
  superseded: 'a newer system prompt is in force',
  empty: 'no content',
  unknownRole: 'a role that this version does not know',
  unknownContent: 'content that this version does not know',
} as const;
