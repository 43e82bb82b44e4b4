import { isToolResult } from '@palimpsest/events';
import type { ActionEvent, EventId, ToolResultEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import type { HistoryLog } from '../log/history-log.js';

/** A message that is sent between the host's messages. */
export type Insert = { readonly summary: string } | LateResult;

/** An insert, and the index of the host's message before which it is sent. */
export interface PlacedInsert {
  readonly at: number;
  readonly insert: Insert;
}

/**
 * A result that no provider takes where it stands, as the view sends it: its call is forgotten, or has an earlier result. Where no answer has
 * read the earlier one, the newest takes its place. Else it is sent with its call.
 */
export interface LateResult {
  /** The call that is sent before it; undefined if it takes the place of an earlier result. */
  readonly call: ActionEvent | undefined;
  readonly result: ToolResultEvent;
  /** The id of both. */
  readonly sentId: string;
  /** The events that are not sent from their own messages. */
  readonly gone: readonly EventId[];
}

/**
 * Returns the summaries and the late results of a view, in the order in which they are sent.
 *
 * @param repairs - a result with an answer of the model between it and its call is late too. Else it is the host's own affair
 */
export function insertsOf(log: HistoryLog, view: View, repairs: boolean): readonly PlacedInsert[] {
  const inserts: PlacedInsert[] = [];
  const replaced = replacedResults(view);
  const asked = new Set<EventId>();
  let after = 0;
  const passed = (id: EventId): void => {
    for (const message of log.messagesOf(id)) after = Math.max(after, message + 1);
  };
  const { system, items } = view.sent();
  if (system !== undefined) passed(system.id);
  for (const item of items) {
    switch (item.kind) {
      case 'words': {
        const { event } = item;
        if (event.type === 'condensation-summary') inserts.push({ at: after, insert: { summary: event.summary } });
        else passed(event.id);
        break;
      }
      case 'batch':
        for (const { event } of item.calls) {
          asked.add(event.id);
          passed(event.id);
        }
        for (const { event: result } of item.results) {
          const [first, ...others] = replaced.get(result.id) ?? [];
          passed(first ?? result.id);
          if (first === undefined) continue;
          const gone = [first, ...others, result.id];
          const at = Math.max(...log.messagesOf(first));
          inserts.push({ at, insert: { call: undefined, result, sentId: result.toolCallId, gone } });
        }
        break;
      case 'late': {
        const { call, result } = item;
        const earlier = replaced.get(result.event.id) ?? [];
        const isAgain = asked.has(call.event.id);
        asked.add(call.event.id);
        if (!isAgain && !repairs && earlier.length === 0 && view.indexOf(call.event.id) !== undefined) {
          passed(result.event.id);
          break;
        }
        const gone = [...(isAgain ? [] : [call.event.id]), ...earlier, result.event.id];
        inserts.push({ at: after, insert: { call: call.event, result: result.event, sentId: call.sentId, gone } });
      }
    }
  }
  return inserts;
}

/** For each result that is sent in the place of earlier ones, those. */
function replacedResults(view: View): ReadonlyMap<EventId, readonly EventId[]> {
  const replaced = new Map<EventId, EventId[]>();
  for (const [id, reason] of view.leftOut) {
    if (reason !== 'a newer result of its call is sent in its place') continue;
    const index = view.indexOf(id) ?? view.events.length;
    const event = view.events[index];
    const toolCallId = event !== undefined && isToolResult(event) ? event.toolCallId : undefined;
    const next = view.events
      .slice(index + 1)
      .find((one) =>
        one.type === 'action'
          ? one.toolCall.id === toolCallId
          : isToolResult(one) && one.toolCallId === toolCallId && !view.leftOut.has(one.id),
      );
    if (next === undefined || next.type === 'action') continue;
    const earlier = replaced.get(next.id);
    if (earlier === undefined) replaced.set(next.id, [id]);
    else earlier.push(id);
  }
  return replaced;
}
