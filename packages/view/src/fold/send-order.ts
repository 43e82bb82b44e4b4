import type {
  ActionEvent,
  CondensationSummaryEvent,
  EventId,
  LLMConvertibleEvent,
  MessageEvent,
  SystemPromptEvent,
} from '@palimpsest/events';
import { isAnsweredInPlace, isNewestResult } from './calls.js';
import type { Call } from './calls.js';
import { batchesOf, callsAndResults, hasContent, reasons, whyEmpty } from './stored-list.js';
import type { StoredBatches, StoredBatch, SentCall, SentResult, StoredList } from './stored-list.js';

export type { SentCall, SentResult } from './stored-list.js';

/** Words: of the user, the model or the environment, or a summary. */
export interface SentWords {
  readonly kind: 'words';
  readonly event: MessageEvent | CondensationSummaryEvent;
  /** An assistant event, sent or not, stands between these words and the words before them: they are two messages. */
  readonly afterAssistant: boolean;
  /** The index of the event in `view.events`. */
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
  /** The index of the result in `view.events`. */
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
}

/** Finds what is sent of a stored list, and in which order. */
export function sendOrder(list: StoredList, batches: StoredBatches = batchesOf(list)): SendOrder {
  const items: SentItem[] = [];
  const leftOut = new Map<EventId, string>();
  let system: SystemPromptEvent | undefined;
  /** A batch waits for results: what stands behind it is sent after them. */
  let isHeld = false;
  let afterAssistant = false;
  for (let index = 0; index < list.events.length; index++) {
    const event = list.events[index] as LLMConvertibleEvent;
    const call = list.calls[index];
    if (event.type === 'action') {
      afterAssistant = true;
      const entry = call === undefined || call.isRepeated ? undefined : batches.get(call.batch.ordinal);
      if (call === undefined || entry === undefined) {
        leftOut.set(event.id, reasons.repeated);
        continue;
      }
      isHeld ||= entry.state === 'waiting';
      // The whole batch is sent at the place of its first action, so other events inside its span are sent after it.
      if (entry.state === 'sent' && entry.index === index) items.push(sentBatch(entry, list));
      if (entry.state !== 'sent') leftOut.set(event.id, reasons[entry.state]);
      else if (!isAnsweredInPlace(call, list.position)) leftOut.set(event.id, reasons.unanswered);
    } else if (event.type === 'system-prompt') {
      if (system !== undefined) leftOut.set(system.id, reasons.superseded);
      system = event;
    } else if (event.type === 'message' || event.type === 'condensation-summary') {
      if (event.type === 'message' && event.role === 'assistant') afterAssistant = true;
      if (!hasContent(event)) leftOut.set(event.id, whyEmpty(event));
      else if (isHeld) leftOut.set(event.id, reasons.waiting);
      else {
        items.push({ kind: 'words', event, index, afterAssistant });
        if (event.type !== 'message' || event.role === 'user') afterAssistant = false;
      }
    } else if (call === undefined) {
      leftOut.set(event.id, reasons.unmatched);
    } else if (!isNewestResult(call, event.id, list.position)) {
      leftOut.set(event.id, reasons.answeredAgain);
    } else {
      const state = batches.get(call.batch.ordinal)?.state;
      if (!call.isLate && !isHeld && state === 'sent') continue;
      const action = actionOf(call, list, index) ?? (call.isAlone ? call.action : undefined);
      if (action === undefined) leftOut.set(event.id, reasons.callForgotten);
      else if (isHeld) leftOut.set(event.id, reasons.waiting);
      else if (!call.isLate) leftOut.set(event.id, state === 'split' ? reasons.split : reasons.waiting);
      else {
        const { sentId } = call;
        leftOut.delete(action.id);
        items.push({ kind: 'late', call: { event: action, sentId }, result: { event, sentId }, index });
      }
    }
  }
  return { system, items, leftOut };
}

function sentBatch(entry: StoredBatch, list: StoredList): SentBatch {
  const { batch, index } = entry;
  const isWhole = batch.sealedAt < list.position;
  const response = isWhole
    ? batch.actions
    : batch.actions.filter((_, place) => (batch.calls[place]?.position ?? Infinity) < list.position);
  const { calls, results } = callsAndResults(entry, list);
  return { kind: 'batch', calls, results, response, index };
}

/** The action of a call, if it stands before an index of the list. */
function actionOf(call: Call, { events, calls }: StoredList, before: number): ActionEvent | undefined {
  for (let index = before - 1; index >= 0; index--) {
    const event = events[index];
    if (calls[index] === call && event?.type === 'action') return event;
  }
  return undefined;
}
