import { isToolResult } from '@palimpsest/events';
import type { ActionEvent, Condensation, Event, EventId, ToolResultEvent } from '@palimpsest/events';

/** One call of a log and what became of it. */
export interface CallRecord {
  readonly action: ActionEvent;
  /** Counts the batches of the log. */
  readonly batch: number;
  /** Its id was that of a call that was still open. */
  readonly repeated: boolean;
  result: ToolResultEvent | undefined;
  /** The result came after the batch was sealed. */
  late: boolean;
}

/** The calls of a log, in order, and whether the last batch may still grow. */
export interface CallHistory {
  readonly calls: readonly CallRecord[];
  /** By the ids of actions and of the results that answer them. */
  readonly byEvent: ReadonlyMap<EventId, CallRecord>;
  /** The batch that is not sealed. */
  readonly openBatch: number | undefined;
}

/** The log without events whose id stands in it before: what a view makes of foreign logs. */
export function withoutRepeatedIds(log: readonly Event[]): readonly Event[] {
  const ids = new Set<EventId>();
  return log.filter(({ id }) => !ids.has(id) && ids.add(id));
}

/** The condensations of a log that no later event reverts. */
export function condensationsInForce(log: readonly Event[]): ReadonlySet<Condensation> {
  const inForce = new Set<Condensation>();
  for (const event of log) {
    if (event.type === 'condensation') inForce.add(event);
    if (event.type !== 'condensation-revert') continue;
    for (const condensation of inForce) if (condensation.id === event.condensationId) inForce.delete(condensation);
  }
  return inForce;
}

/**
 * Matches the calls and results of a log, by the rules as they are written: slowly, from the start, without state. The
 * log holds no id twice. A condensation ends a batch of which no call waits.
 */
export function callHistory(log: readonly Event[], inForce = condensationsInForce(log)): CallHistory {
  const calls: CallRecord[] = [];
  const byEvent = new Map<EventId, CallRecord>();
  let batches = 0;
  let open: { readonly responseId: string; readonly batch: number } | undefined;
  const ofOpen = () => calls.filter(({ batch }) => batch === open?.batch);
  for (const event of log) {
    if (event.type === 'action') {
      if (open?.responseId !== event.llmResponseId) open = { responseId: event.llmResponseId, batch: batches++ };
      const repeated = ofOpen().some((call) => isSameCall(call, event.toolCall.id) && isUnanswered(call));
      const call: CallRecord = { action: event, batch: open.batch, repeated, result: undefined, late: false };
      calls.push(call);
      byEvent.set(event.id, call);
    } else if (event.type === 'message' && event.role === 'assistant') {
      if (open?.responseId !== event.llmResponseId) open = undefined;
    } else if (event.type === 'condensation' && inForce.has(event)) {
      if (!ofOpen().some(isUnanswered)) open = undefined;
    } else if (isToolResult(event)) {
      const call = calls.findLast((candidate) => isSameCall(candidate, event.toolCallId));
      if (call === undefined || !isUnanswered(call)) continue;
      call.result = event;
      call.late = call.batch !== open?.batch;
      byEvent.set(event.id, call);
    }
  }
  return { calls, byEvent, openBatch: open?.batch };
}

function isSameCall(call: CallRecord, toolCallId: string): boolean {
  return !call.repeated && call.action.toolCall.id === toolCallId;
}

function isUnanswered(call: CallRecord): boolean {
  return !call.repeated && call.result === undefined;
}
