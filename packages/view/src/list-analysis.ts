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
  SystemPromptEvent,
  ToolResultEvent,
} from '@palimpsest/events';
import { hasPendingCall, isAnsweredInPlace } from './batches.js';
import type { Batch, Call } from './batches.js';

/** A stored list as it was at a position of the log. */
export interface ListSnapshot {
  readonly events: readonly LLMConvertibleEvent[];
  /** For each event the call that it makes or answers; undefined for what does neither. */
  readonly calls: readonly (Call | undefined)[];
  /** How many of the events are in the snapshot: the arrays may have grown since. */
  readonly length: number;
  readonly position: number;
}

/** What of a batch stands in a stored list. */
export interface BatchInList {
  readonly batch: Batch;
  /** The index and id of its first action in the list. */
  readonly index: number;
  readonly firstAction: EventId;
  readonly actions: { readonly event: ActionEvent; readonly call: Call }[];
  readonly results: ToolResultEvent[];
  /**
   * `sent`; `split`: a part of it is forgotten; `waiting`: some calls are answered and some still wait; `unanswered`: no
   * call was answered in place.
   */
  state: 'sent' | 'split' | 'waiting' | 'unanswered';
}

/** One thing that is sent, in the order in which it is sent. `index` is where it stands in the stored list. */
export type SentItem =
  | {
      readonly kind: 'words';
      readonly event: MessageEvent | CondensationSummaryEvent;
      readonly index: number;
      /** An assistant event, sent or not, stands between these words and the words before them. */
      readonly afterAssistant: boolean;
    }
  | { readonly kind: 'batch'; readonly batch: BatchInList; readonly index: number }
  | {
      readonly kind: 'late';
      readonly call: Call;
      readonly action: ActionEvent;
      readonly result: ToolResultEvent;
      readonly index: number;
    };

/** What of a stored list is sent, in order, and what is not, with the reason. */
export interface SentOrder {
  readonly system: SystemPromptEvent | undefined;
  readonly items: readonly SentItem[];
  readonly leftOut: ReadonlyMap<EventId, string>;
}

/** The batches of which an action stands in the list. */
export function batchesInList(list: ListSnapshot): ReadonlyMap<Batch, BatchInList> {
  const batches = new Map<Batch, BatchInList>();
  for (let index = 0; index < list.length; index++) {
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
  // The thought and the thinking of a batch stand on its first action, so without that one the batch is not whole.
  if (!whole || batch.calls[0]?.action.id !== entry.firstAction) return 'split';
  return hasPendingCall(batch, position) ? 'waiting' : 'sent';
}

/** The order in which a stored list is sent. */
export function sentOrder(list: ListSnapshot): SentOrder {
  const batches = batchesInList(list);
  const leftOut = new Map<EventId, string>();
  const items: SentItem[] = [];
  let system: SystemPromptEvent | undefined;
  let held = false;
  let assistantBetween = false;
  const actionsInList = new Map<Call, ActionEvent>();

  for (let index = 0; index < list.length; index++) {
    const event = list.events[index] as LLMConvertibleEvent;
    const call = list.calls[index];
    if (isToolResult(event)) {
      const action = call === undefined ? undefined : actionsInList.get(call);
      const state = call === undefined ? undefined : batches.get(call.batch)?.state;
      if (call === undefined) leftOut.set(event.id, reasons.unmatched);
      else if (action === undefined) leftOut.set(event.id, reasons.callForgotten);
      else if (held) leftOut.set(event.id, reasons.waiting);
      else if (call.late) {
        leftOut.delete(action.id);
        items.push({ kind: 'late', call, action, result: event, index });
      } else if (state !== 'sent') leftOut.set(event.id, state === 'split' ? reasons.split : reasons.waiting);
    } else if (event.type === 'action') {
      assistantBetween = true;
      const entry = call === undefined ? undefined : batches.get(call.batch);
      if (call !== undefined && !call.repeated) actionsInList.set(call, event);
      if (call === undefined || entry === undefined || call.repeated) leftOut.set(event.id, reasons.repeated);
      else if (entry.state === 'sent') {
        // The whole batch stands where its first action does, so what lies inside its span comes after it.
        if (entry.index === index) items.push({ kind: 'batch', batch: entry, index });
        if (!isAnsweredInPlace(call, list.position)) leftOut.set(event.id, reasons.unanswered);
      } else {
        held ||= entry.state === 'waiting';
        leftOut.set(event.id, reasonOf(entry.state));
      }
    } else if (event.type === 'system-prompt') {
      if (system !== undefined) leftOut.set(system.id, reasons.superseded);
      system = event;
    } else {
      if (event.type === 'message' && event.role === 'assistant') assistantBetween = true;
      if (!hasContent(event)) leftOut.set(event.id, whyEmpty(event));
      else if (held) leftOut.set(event.id, reasons.waiting);
      else {
        items.push({ kind: 'words', event, index, afterAssistant: assistantBetween });
        if (event.type !== 'message' || event.role === 'user') assistantBetween = false;
      }
    }
  }
  return { system, items, leftOut };
}

/** True for words that are sent: some text that is not blank, an image, or thinking that came without words. */
export function hasContent(event: MessageEvent | CondensationSummaryEvent): boolean {
  if (event.type === 'condensation-summary') return summaryContent(event).length > 0;
  if (!isSentRole(event.role)) return false;
  if (messageContent(event).length > 0) return true;
  if (event.role === 'user') return false;
  const { thinkingBlocks = [], reasoningItems = [] } = knownThinking(event);
  return thinkingBlocks.length > 0 || reasoningItems.length > 0;
}

function whyEmpty(event: MessageEvent | CondensationSummaryEvent): string {
  if (event.type !== 'message') return reasons.empty;
  if (!isSentRole(event.role)) return reasons.unknownRole;
  return event.content.every(isKnownContent) ? reasons.empty : reasons.unknownContent;
}

function reasonOf(state: BatchInList['state']): string {
  return state === 'split' ? reasons.split : state === 'waiting' ? reasons.waiting : reasons.unanswered;
}

/** Why an event of the stored list is not sent. */
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
