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
import { isAnsweredInPlace, isAssistantEvent } from './calls.js';
import type { Batch, Call } from './calls.js';
import { batchesInList, hasContent, reasons, whyEmpty } from './stored-list.js';
import type { BatchInList, StoredList } from './stored-list.js';

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

/** The events of a stored list that are sent, in sending order, and those that are not sent. */
export interface SendOrder {
  /** The system prompt in force. It is sent first. */
  readonly system: SystemPromptEvent | undefined;
  /** The items sent after the system prompt. */
  readonly items: readonly SentItem[];
  /** The stored events that are not sent, with the reason. */
  readonly leftOut: ReadonlyMap<EventId, string>;
  readonly batches: ReadonlyMap<Batch, BatchInList>;
}

/** Finds what is sent of a stored list, and in which order. */
export function sendOrder(list: StoredList): SendOrder {
  const batches = batchesInList(list);
  const items: SentItem[] = [];
  const leftOut = new Map<EventId, string>();
  const actions = new Map<Call, ActionEvent>();
  let system: SystemPromptEvent | undefined;
  /** A batch waits for results: what stands behind it is sent after them. */
  let isHeld = false;
  let afterAssistant = false;
  for (const [index, event] of list.events.entries()) {
    const call = list.calls[index];
    afterAssistant ||= isAssistantEvent(event);
    if (isToolResult(event)) {
      const action = call && actions.get(call);
      if (call === undefined) leftOut.set(event.id, reasons.unmatched);
      else if (action === undefined) leftOut.set(event.id, reasons.callForgotten);
      else if (isHeld) leftOut.set(event.id, reasons.waiting);
      else if (call.late) {
        const { sentId } = call;
        leftOut.delete(action.id);
        items.push({ kind: 'late', call: { event: action, sentId }, result: { event, sentId }, index });
      } else {
        const state = batches.get(call.batch)?.state;
        if (state !== 'sent') leftOut.set(event.id, state === 'split' ? reasons.split : reasons.waiting);
      }
    } else if (event.type === 'action') {
      if (call === undefined || call.repeated) {
        leftOut.set(event.id, reasons.repeated);
        continue;
      }
      actions.set(call, event);
      const entry = batches.get(call.batch) as BatchInList;
      isHeld ||= entry.state === 'waiting';
      // The whole batch is sent at the place of its first action, so other events inside its span are sent after it.
      if (entry.state === 'sent' && entry.index === index) items.push(sentBatch(entry, list.position));
      if (entry.state !== 'sent') leftOut.set(event.id, reasons[entry.state]);
      else if (!isAnsweredInPlace(call, list.position)) leftOut.set(event.id, reasons.unanswered);
    } else if (event.type === 'system-prompt') {
      if (system !== undefined) leftOut.set(system.id, reasons.superseded);
      system = event;
    } else if (!hasContent(event)) {
      leftOut.set(event.id, whyEmpty(event));
    } else if (isHeld) {
      leftOut.set(event.id, reasons.waiting);
    } else {
      items.push({ kind: 'words', event, index, afterAssistant });
      if (event.type !== 'message' || event.role === 'user') afterAssistant = false;
    }
  }
  return { system, items, leftOut, batches };
}

function sentBatch({ batch, index, actions, results }: BatchInList, position: number): SentBatch {
  const sentIds = new Map(actions.map(({ call }) => [call.resultId, call.sentId]));
  return {
    kind: 'batch',
    calls: actions.map(({ event, call }) => ({ event, sentId: call.sentId })),
    results: results.map((event) => ({ event, sentId: sentIds.get(event.id) ?? event.toolCallId })),
    response: batch.calls.filter((call) => call.position < position).map(({ action }) => action),
    index,
  };
}
