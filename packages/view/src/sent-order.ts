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

/**
 * A call that is sent, and the id under which it is sent: its own id, or an alias if the id is taken or providers refuse it.
 */
export interface SentCall {
  readonly event: ActionEvent;
  readonly sentId: string;
}

/** A result that is sent, and the sent id of the call that it answers. */
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
  /** All calls of the response as logged, sent or not. The first call carries the thinking and most of the words. */
  readonly response: readonly ActionEvent[];
  /** The index of its first action in `view.events`. */
  readonly index: number;
}

/** A call whose result came after a later response. Both are sent at the place of the result, without words or thinking. */
export interface SentLatePair {
  readonly kind: 'late';
  readonly call: SentCall;
  readonly result: SentResult;
  /** Where the result stands in `view.events`. */
  readonly index: number;
}

/** One thing that is sent. */
export type SentItem = SentWords | SentBatch | SentLatePair;

/** The events of a view that are sent, in sending order, and those that are not sent. See {@link View.sent}. */
export interface SentOrder {
  /** The system prompt in force. It is sent first. */
  readonly system: SystemPromptEvent | undefined;
  /**
   * The items sent after the system prompt. Until an edit, items of finished responses are the same objects in all views of a
   * growing log, so a renderer can use them as keys of a cache.
   */
  readonly items: EventSequence<SentItem>;
  /** The stored events that are not sent, with the reason. */
  readonly leftOut: ReadonlyMap<EventId, string>;
  /** The thinking mode of the model that reads the view. */
  readonly thinking: ThinkingMode;
  /** True for an event whose signed thinking no longer verifies, because something before it was edited after it was made. */
  isThinkingStale(id: EventId): boolean;
}

/** Receives the results of {@link analyse}. All indices are indices of the list. */
export interface OrderSink {
  item(item: SentItem): void;
  leaveOut(id: EventId, reason: string, index: number): void;
  /** Revokes a left-out action: it is sent with its late result. */
  takeIn(id: EventId, index: number): void;
  /** The action of a call among the events before the analysed part. */
  earlierAction(call: Call): ActionEvent | undefined;
  system: SystemPromptEvent | undefined;
}

/** Finds what is sent of a part of a list, and in which order. The part begins and ends between two batches. */
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
        // The whole batch is sent at the place of its first action, so other events inside its span are sent after it.
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

/** Whether there is an assistant event between an index and the words sent before it. */
function isAfterAssistant({ events }: ListSnapshot, index: number): boolean {
  for (let before = index - 1; before >= 0; before--) {
    const event = events[before];
    if (event === undefined || event.type === 'system-prompt' || isToolResult(event)) continue;
    if (event.type === 'action' || (event.type === 'message' && event.role === 'assistant')) return true;
    if (hasContent(event)) return false;
  }
  return false;
}

/** The {@link SentOrder} of a list that is analysed once. */
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
