import {
  isKnownContent,
  isMeaningful,
  isSentRole,
  isToolResult,
  knownThinking,
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
export interface StoredBatch {
  readonly batch: Batch;
  /** The index of its first action. */
  readonly index: number;
  /** The index of its last result in place; -1 if there is none. */
  lastResult: number;
  /** The number of its actions with a result in place, and of these results, that are in the list. */
  calls: number;
  results: number;
  /**
   * `split`: a part of the batch is forgotten. `waiting`: some calls are answered and some are pending. `unanswered`: no call is
   * answered in place. `sent`: any other.
   */
  state: 'sent' | 'split' | 'waiting' | 'unanswered';
}

/** The batches of a list by their ordinals, in the order of their first actions. */
export type StoredBatches = ReadonlyMap<number, StoredBatch>;

/** Finds the batches that have an action in the list. */
export function batchesOf({ events, calls, position }: StoredList): StoredBatches {
  const batches = new Map<number, StoredBatch>();
  for (let index = 0; index < events.length; index++) {
    const call = calls[index];
    if (call === undefined || call.isRepeated) continue;
    const event = events[index] as LLMConvertibleEvent;
    const { batch } = call;
    let entry = batches.get(batch.ordinal);
    if (event.type === 'action') {
      if (entry === undefined) {
        entry = { batch, index, lastResult: -1, calls: 0, results: 0, state: 'unanswered' };
        batches.set(batch.ordinal, entry);
      }
      if (isAnsweredInPlace(call, position)) entry.calls++;
    } else if (entry !== undefined && isResultInPlace(call, event, position)) {
      entry.results++;
      entry.lastResult = index;
    }
  }
  for (const entry of batches.values()) entry.state = stateOf(entry, events, position);
  return batches;
}

/** True for the result of a call that is sent in its place. */
function isResultInPlace(call: Call, event: LLMConvertibleEvent, position: number): event is ToolResultEvent {
  return !call.isLate && isToolResult(event) && isNewestResult(call, event.id, position);
}

function stateOf(
  { batch, index, calls, results }: StoredBatch,
  events: StoredList['events'],
  position: number,
): StoredBatch['state'] {
  let answered = 0;
  for (const call of batch.calls) if (isAnsweredInPlace(call, position)) answered++;
  if (answered === 0) return 'unanswered';
  const isWhole = calls === answered && results === answered;
  // The first action carries the thought and the thinking of its batch, so a batch without it is incomplete.
  if (!isWhole || batch.actions[0]?.id !== events[index]?.id) return 'split';
  return hasPendingCall(batch, position) ? 'waiting' : 'sent';
}

/** Returns the calls of a batch that is sent, and their results, as they are sent. */
export function callsAndResults(
  { batch, index, lastResult }: StoredBatch,
  { events, calls, position }: StoredList,
): { readonly calls: readonly SentCall[]; readonly results: readonly SentResult[] } {
  const sentCalls: SentCall[] = [];
  const results: SentResult[] = [];
  // Each call that is answered in place stands before its result.
  for (let at = index; at <= lastResult; at++) {
    const call = calls[at];
    if (call?.batch !== batch || call.isRepeated) continue;
    const event = events[at] as LLMConvertibleEvent;
    const { sentId } = call;
    if (event.type !== 'action') {
      if (isResultInPlace(call, event, position)) results.push({ event, sentId });
    } else if (isAnsweredInPlace(call, position)) sentCalls.push({ event, sentId });
  }
  if (batch.calls.some((call) => call.results !== undefined && call.results.length > 1))
    sortByFirstResult(batch, results);
  return { calls: sentCalls, results };
}

/** A result that replaces an earlier one stands in its place. */
function sortByFirstResult({ calls }: Batch, results: SentResult[]): void {
  const places = new Map(calls.map(({ sentId, answeredAt }) => [sentId, answeredAt]));
  results.sort((a, b) => (places.get(a.sentId) ?? 0) - (places.get(b.sentId) ?? 0));
}

/** Returns the indices of the events of a list by their ids. */
export function indicesOf(events: readonly LLMConvertibleEvent[]): ReadonlyMap<EventId, number> {
  const indices = new Map<EventId, number>();
  for (let index = 0; index < events.length; index++) indices.set((events[index] as LLMConvertibleEvent).id, index);
  return indices;
}

/**
 * Returns true for a message or summary that is sent: it has text that is not blank, an image, or thinking without
 * words.
 */
export function hasContent(event: MessageEvent | CondensationSummaryEvent): boolean {
  if (event.type === 'condensation-summary') return summaryContent(event).length > 0;
  if (!isSentRole(event.role)) return false;
  if (event.content.some(isMeaningful) || event.extendedContent?.some(isMeaningful) === true) return true;
  if (event.role === 'user') return false;
  const { thinkingBlocks = [], reasoningItems = [] } = knownThinking(event);
  return thinkingBlocks.length > 0 || reasoningItems.length > 0;
}

/** Returns the reason why a message or summary without content is not sent. */
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
