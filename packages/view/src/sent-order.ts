import { isToolResult } from '@palimpsest/events';
import type {
  ActionEvent,
  CondensationSummaryEvent,
  EventId,
  LLMConvertibleEvent,
  MessageEvent,
  SystemPromptEvent,
  ToolResultEvent,
} from '@palimpsest/events';
import { isAnsweredInPlace, sentIdOf } from './batches.js';
import type { Batch, Call } from './batches.js';
import type { EventSequence } from './event-sequence.js';
import { batchesInList, hasContent, reasonOf, reasons, whyEmpty } from './list-analysis.js';
import type { BatchInList, ListSnapshot } from './list-analysis.js';
import type { ThinkingMode } from './render-options.js';

/** A call that is sent, and the id under which it is sent: its own, or an alias where that is taken or no provider takes it. */
export interface SentCall {
  readonly event: ActionEvent;
  readonly sentId: string;
}

/** A result that is sent, and the id of the call that it answers, as that is sent. */
export interface SentResult {
  readonly event: ToolResultEvent;
  readonly sentId: string;
}

/** Words: of the user, the model or the environment, or a summary. */
export interface SentWords {
  readonly kind: 'words';
  readonly event: MessageEvent | CondensationSummaryEvent;
  /** An assistant event, sent or not, stands between these words and the words before them: they are two messages. */
  readonly afterAssistant: boolean;
  /** Where the event stands in `view.events`. */
  readonly index: number;
}

/** The calls of one model response that are sent together, then their results. */
export interface SentBatch {
  readonly kind: 'batch';
  readonly calls: readonly SentCall[];
  /** In the order in which they came. */
  readonly results: readonly SentResult[];
  /** All calls of the response as they were logged, sent or not. Its thinking, and most of its words, stand on the first one. */
  readonly response: readonly ActionEvent[];
  /** Where its first action stands in `view.events`. */
  readonly index: number;
}

/** A call whose result came after a later response: both are sent where the result stands, without words or thinking. */
export interface SentLatePair {
  readonly kind: 'late';
  readonly call: SentCall;
  readonly result: SentResult;
  /** Where the result stands in `view.events`. */
  readonly index: number;
}

/** One thing that is sent. */
export type SentItem = SentWords | SentBatch | SentLatePair;

/** What of a view is sent, in the order in which it is sent, and what is not. See {@link View.sent}. */
export interface SentOrder {
  /** The system prompt in force. It is sent first. */
  readonly system: SystemPromptEvent | undefined;
  /**
   * What is sent after it. Items of responses that are over are the same objects in the views of a log that grows, until an edit,
   * so what was made of one can be kept by it.
   */
  readonly items: EventSequence<SentItem>;
  /** What is stored but not sent, with the reason. */
  readonly leftOut: ReadonlyMap<EventId, string>;
  /** What the model that reads the view checks of thinking. */
  readonly thinking: ThinkingMode;
  /** True for an event whose signed thinking no longer verifies, because something before it was edited after it was made. */
  isThinkingStale(id: EventId): boolean;
}

/** What a list is analysed into. Where indices are asked for, they are those of the list. */
export interface OrderSink {
  item(item: SentItem): void;
  leaveOut(id: EventId, reason: string, index: number): void;
  /** An action that was left out is sent after all, with its late result. */
  takeIn(id: EventId, index: number): void;
  /** The action of a call, among the events of the list that stand before the part. */
  earlierAction(call: Call): ActionEvent | undefined;
  system: SystemPromptEvent | undefined;
}

/** Goes through a part of a list that begins and ends between two batches, and tells what is sent of it and in which order. */
export function analyse(list: ListSnapshot, from: number, sink: OrderSink): void {
  const batches = batchesInList(list, from);
  const actions = new Map<Call, ActionEvent>();
  let held = false;
  let assistantBetween = isAfterAssistant(list, from);
  for (let index = from; index < list.length; index++) {
    const event = list.events[index] as LLMConvertibleEvent;
    const call = list.calls[index];
    if (isToolResult(event)) {
      const action = call === undefined ? undefined : (actions.get(call) ?? sink.earlierAction(call));
      const state = call === undefined ? undefined : batches.get(call.batch)?.state;
      if (call === undefined) sink.leaveOut(event.id, reasons.unmatched, index);
      else if (action === undefined) sink.leaveOut(event.id, reasons.callForgotten, index);
      else if (held) sink.leaveOut(event.id, reasons.waiting, index);
      else if (call.late) {
        sink.takeIn(action.id, index);
        const sentId = sentIdOf(call);
        sink.item({ kind: 'late', call: { event: action, sentId }, result: { event, sentId }, index });
      } else if (state !== 'sent') {
        sink.leaveOut(event.id, state === 'split' ? reasons.split : reasons.waiting, index);
      }
    } else if (event.type === 'action') {
      assistantBetween = true;
      const entry = call === undefined ? undefined : batches.get(call.batch);
      if (call !== undefined && !call.repeated) actions.set(call, event);
      if (call === undefined || entry === undefined || call.repeated) {
        sink.leaveOut(event.id, reasons.repeated, index);
      } else if (entry.state === 'sent') {
        // The whole batch stands where its first action does, so what lies inside its span comes after it.
        if (entry.index === index) sink.item(sentBatch(entry, list.position));
        if (!isAnsweredInPlace(call, list.position)) sink.leaveOut(event.id, reasons.unanswered, index);
      } else {
        held ||= entry.state === 'waiting';
        sink.leaveOut(event.id, reasonOf(entry.state), index);
      }
    } else if (event.type === 'system-prompt') {
      if (sink.system !== undefined) sink.leaveOut(sink.system.id, reasons.superseded, index);
      sink.system = event;
    } else {
      if (event.type === 'message' && event.role === 'assistant') assistantBetween = true;
      if (!hasContent(event)) sink.leaveOut(event.id, whyEmpty(event), index);
      else if (held) sink.leaveOut(event.id, reasons.waiting, index);
      else {
        sink.item({ kind: 'words', event, index, afterAssistant: assistantBetween });
        if (event.type !== 'message' || event.role === 'user') assistantBetween = false;
      }
    }
  }
}

function sentBatch({ batch, index, actions, results }: BatchInList, position: number): SentBatch {
  const calls = actions.map(({ event, call }) => ({ event, sentId: sentIdOf(call) }));
  const sentIds = new Map(actions.map(({ call }) => [call.resultId, sentIdOf(call)]));
  return {
    kind: 'batch',
    calls,
    results: results.map((event) => ({ event, sentId: sentIds.get(event.id) ?? event.toolCallId })),
    response: responseOf(batch, position),
    index,
  };
}

function responseOf({ calls }: Batch, position: number): readonly ActionEvent[] {
  return calls.filter((call) => call.position < position).map(({ action }) => action);
}

/** Whether an assistant event stands between an index and the words that are sent before it. */
function isAfterAssistant({ events }: ListSnapshot, index: number): boolean {
  for (let before = index - 1; before >= 0; before--) {
    const event = events[before];
    if (event === undefined || event.type === 'system-prompt' || isToolResult(event)) continue;
    if (event.type === 'action' || (event.type === 'message' && event.role === 'assistant')) return true;
    if (hasContent(event)) return false;
  }
  return false;
}

/** {@link SentOrder} of a list that is analysed once. */
export interface ListOrder {
  readonly system: SystemPromptEvent | undefined;
  readonly items: readonly SentItem[];
  readonly leftOut: ReadonlyMap<EventId, string>;
}

/** The order in which a stored list is sent, from the start. */
export function sentOrder(list: ListSnapshot): ListOrder {
  const items: SentItem[] = [];
  const leftOut = new Map<EventId, string>();
  const sink: OrderSink = {
    item: (item) => void items.push(item),
    leaveOut: (id, reason) => void leftOut.set(id, reason),
    takeIn: (id) => void leftOut.delete(id),
    earlierAction: () => undefined,
    system: undefined,
  };
  analyse(list, 0, sink);
  return { system: sink.system, items, leftOut };
}
