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
import { hasPendingCall, isAnsweredInPlace } from './calls.js';
import type { Batch, Call } from './calls.js';

/** The result of the fold at a position of the log. Send order, cut points and stale thinking are functions of it. */
export interface StoredList {
  readonly events: readonly LLMConvertibleEvent[];
  /** For each event, the call that it makes or answers; undefined for any other event. */
  readonly calls: readonly (Call | undefined)[];
  /** The number of events that the log had. */
  readonly position: number;
}

/** The part of a batch that is in a stored list. */
export interface BatchInList {
  readonly batch: Batch;
  /** The index of its first action. */
  readonly index: number;
  /** The index of its last result in place; -1 if there is none. */
  lastResult: number;
  /** The actions with a result in place. */
  readonly actions: { readonly event: ActionEvent; readonly call: Call }[];
  readonly results: ToolResultEvent[];
  /**
   * `sent`; `split`: a part of the batch is forgotten; `waiting`: some calls are answered and some are pending; `unanswered`:
   * no call is answered in place.
   */
  state: 'sent' | 'split' | 'waiting' | 'unanswered';
}

/** Finds the batches that have an action in the list, in the order of their first actions. */
export function batchesInList(list: StoredList): ReadonlyMap<Batch, BatchInList> {
  const batches = new Map<Batch, BatchInList>();
  for (const [index, call] of list.calls.entries()) {
    if (call === undefined || call.repeated) continue;
    const event = list.events[index] as LLMConvertibleEvent;
    let entry = batches.get(call.batch);
    if (event.type === 'action') {
      if (entry === undefined) {
        entry = { batch: call.batch, index, lastResult: -1, actions: [], results: [], state: 'unanswered' };
        batches.set(call.batch, entry);
      }
      if (isAnsweredInPlace(call, list.position)) entry.actions.push({ event, call });
    } else if (isToolResult(event) && !call.late && entry !== undefined) {
      entry.results.push(event);
      entry.lastResult = index;
    }
  }
  for (const entry of batches.values()) entry.state = stateOf(entry, list);
  return batches;
}

function stateOf(
  { batch, index, actions, results }: BatchInList,
  { events, position }: StoredList,
): BatchInList['state'] {
  const answered = batch.calls.reduce((count, call) => count + (isAnsweredInPlace(call, position) ? 1 : 0), 0);
  if (answered === 0) return 'unanswered';
  const isWhole = actions.length === answered && results.length === answered;
  // The first action carries the thought and the thinking of its batch, so a batch without it is incomplete.
  if (!isWhole || batch.calls[0]?.action.id !== events[index]?.id) return 'split';
  return hasPendingCall(batch, position) ? 'waiting' : 'sent';
}

/** The ids of the events of a list by their index. */
export function indicesOf(events: readonly LLMConvertibleEvent[]): ReadonlyMap<EventId, number> {
  return new Map(events.map(({ id }, index) => [id, index]));
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
