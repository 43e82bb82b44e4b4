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
import { hasPendingCall, isAnsweredInPlace } from './batches.js';
import type { Batch, Call } from './batches.js';

/** A stored list as it was at a position of the log. */
export interface ListSnapshot {
  readonly events: readonly LLMConvertibleEvent[];
  /** For each event, the call that it makes or answers; undefined for any other event. */
  readonly calls: readonly (Call | undefined)[];
  /** The number of events in the snapshot. The arrays may have grown since. */
  readonly length: number;
  readonly position: number;
}

/** The part of a batch that is in a stored list. */
export interface BatchInList {
  readonly batch: Batch;
  /** The index and id of its first action in the list. */
  readonly index: number;
  readonly firstAction: EventId;
  readonly actions: { readonly event: ActionEvent; readonly call: Call }[];
  readonly results: ToolResultEvent[];
  /**
   * `sent`; `split`: a part of the batch is forgotten; `waiting`: some calls are answered and some are pending; `unanswered`:
   * no call is answered in place.
   */
  state: 'sent' | 'split' | 'waiting' | 'unanswered';
}

/** The batches that have an action in the list at or after an index. */
export function batchesInList(list: ListSnapshot, from = 0): ReadonlyMap<Batch, BatchInList> {
  const batches = new Map<Batch, BatchInList>();
  for (let index = from; index < list.length; index++) {
    const event = list.events[index] as LLMConvertibleEvent;
    const call = list.calls[index];
    if (call === undefined || call.repeated) continue;
    let entry = batches.get(call.batch);
    if (event.type === 'action') {
      if (entry === undefined) {
        entry = {
          batch: call.batch,
          index,
          firstAction: event.id,
          actions: [],
          results: [],
          state: 'unanswered',
        };
        batches.set(call.batch, entry);
      }
      if (isAnsweredInPlace(call, list.position)) entry.actions.push({ event, call });
    } else if (isToolResult(event) && !call.late && entry !== undefined) {
      entry.results.push(event);
    }
  }
  for (const entry of batches.values()) entry.state = stateOf(entry, list.position);
  return batches;
}

function stateOf(entry: BatchInList, position: number): BatchInList['state'] {
  const { batch } = entry;
  const answered = batch.calls.reduce((count, call) => count + (isAnsweredInPlace(call, position) ? 1 : 0), 0);
  if (answered === 0) return 'unanswered';
  const whole = entry.actions.length === answered && entry.results.length === answered;
  // The first action carries the thought and the thinking of its batch, so a batch without it is incomplete.
  if (!whole || batch.calls[0]?.action.id !== entry.firstAction) return 'split';
  return hasPendingCall(batch, position) ? 'waiting' : 'sent';
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

/** The reason why a batch is not sent. */
export function reasonOf(state: BatchInList['state']): string {
  return state === 'split' ? reasons.split : state === 'waiting' ? reasons.waiting : reasons.unanswered;
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
