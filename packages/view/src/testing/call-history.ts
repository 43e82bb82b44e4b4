import { isMeaningful, isToolResult } from '@palimpsest/events';
import type { ActionEvent, Condensation, Event, EventId, ToolResultEvent } from '@palimpsest/events';

/** One call of a log and its state. */
export interface CallRecord {
  readonly action: ActionEvent;
  /** Counts the batches of the log. */
  readonly batch: number;
  /** The call repeats the id of an open call. */
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
  /** For each event that a model made, the first event of its response. */
  readonly responses: ReadonlyMap<EventId, EventId>;
}

/** Returns the log without events whose id stands in it before: what a view makes of foreign logs. */
export function withoutRepeatedIds(log: readonly Event[]): readonly Event[] {
  const ids = new Set<EventId>();
  return log.filter(({ id }) => !ids.has(id) && ids.add(id));
}

/** Returns the condensations of a log that no later event reverts. */
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
 * Finds the responses of a log and matches their calls and results, by the rules as they are written: slowly, from the start.
 * The log holds no id twice. A condensation ends a response of which no call waits.
 */
export function callHistory(log: readonly Event[], inForce = condensationsInForce(log)): CallHistory {
  const calls: CallRecord[] = [];
  const byEvent = new Map<EventId, CallRecord>();
  const responses = new Map<EventId, EventId>();
  let batches = 0;
  let open: number | undefined;
  /** The newest event that a model made, until a condensation. */
  let newest: number | undefined;
  const isWaiting = () => calls.some((call) => call.batch === open && isUnanswered(call));
  log.forEach((event, position) => {
    if (event.type === 'action' || (event.type === 'message' && event.role === 'assistant')) {
      const earlier = newest === undefined ? undefined : log[newest];
      const isSame = earlier !== undefined && responseIdOf(earlier) === responseIdOf(event);
      const between = log.slice((newest ?? 0) + 1, position);
      const continues = isSame && (isWaiting() || !(between.some(showsModelCall) || bringsWords(event)));
      if (!continues) open = undefined;
      responses.set(event.id, continues ? (responses.get(earlier.id) ?? '') : event.id);
      newest = position;
    }
    if (event.type === 'action') {
      open ??= batches++;
      const repeated = calls.some(
        (call) => call.batch === open && isSameCall(call, event.toolCall.id) && isUnanswered(call),
      );
      const call: CallRecord = { action: event, batch: open, repeated, result: undefined, late: false };
      calls.push(call);
      byEvent.set(event.id, call);
    } else if (event.type === 'condensation' && inForce.has(event)) {
      if (!isWaiting()) open = newest = undefined;
    } else if (isToolResult(event)) {
      const call = calls.findLast((candidate) => isSameCall(candidate, event.toolCallId));
      if (call === undefined || !isUnanswered(call)) return;
      call.result = event;
      call.late = call.batch !== open;
      byEvent.set(event.id, call);
    }
  });
  return { calls, byEvent, openBatch: open, responses };
}

/** Without an id every message is a response of its own. */
function responseIdOf(event: Event): string {
  return event.type === 'action' || event.type === 'message' ? (event.llmResponseId ?? event.id) : event.id;
}

/** True for an event that, between two events with one response id, shows that they belong to two responses. */
function showsModelCall(event: Event): boolean {
  if (event.type === 'message') return event.source === 'user';
  return event.type === 'llm-usage' && event.purpose === 'agent';
}

/** True for a message, and for an action with a thought or thinking of its own. */
function bringsWords(event: Event): boolean {
  if (event.type !== 'action') return true;
  const { thought, thinkingBlocks = [], reasoningItems = [], reasoningContent = '' } = event;
  const thinking = [...thinkingBlocks, ...reasoningItems].length + reasoningContent.trim().length;
  return thinking > 0 || thought.some(isMeaningful);
}

function isSameCall(call: CallRecord, toolCallId: string): boolean {
  return !call.repeated && call.action.toolCall.id === toolCallId;
}

function isUnanswered(call: CallRecord): boolean {
  return !call.repeated && call.result === undefined;
}
