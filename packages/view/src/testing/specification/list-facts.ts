import { isToolResult } from '@palimpsest/events';
import type { ActionEvent, EventId, LLMConvertibleEvent, ToolResultEvent } from '@palimpsest/events';
import { hasContent } from '../../list-analysis.js';
import type { CallHistory, CallRecord } from './call-history.js';

/** One batch of which an action stands in a stored list. */
export interface BatchFacts {
  /**
   * `open`: a call of the batch is pending, and the batch is not split. The other names are those of the view's own analysis.
   */
  readonly state: 'sent' | 'split' | 'open' | 'unanswered';
  /** The index of its first action in the list. */
  readonly first: number;
  /** The index of its last result in place; -1 without one. */
  readonly last: number;
  /** Some of its calls are answered in place. */
  readonly isAnswered: boolean;
  /** The first action of the batch in the log: thought and thinking of the batch stand on it. */
  readonly carrier: ActionEvent;
  /** The indices of the calls that are sent in place and of their results. */
  readonly pairs: readonly { readonly first: number; readonly last: number }[];
  /** The calls that are sent in place, and their results as they stand in the list. */
  readonly calls: readonly ActionEvent[];
  readonly results: readonly ToolResultEvent[];
}

/** One thing that is sent. */
export type SentFact =
  | { readonly kind: 'batch'; readonly index: number; readonly batch: BatchFacts }
  | { readonly kind: 'words'; readonly index: number; readonly event: LLMConvertibleEvent }
  | { readonly kind: 'late'; readonly index: number; readonly action: ActionEvent; readonly result: ToolResultEvent };

/** A stored list, analysed by the rules as they are written. */
export interface ListFacts {
  readonly events: readonly LLMConvertibleEvent[];
  readonly batches: readonly BatchFacts[];
  /** What is sent, in the order in which it is sent. */
  readonly sent: readonly SentFact[];
  readonly leftOut: ReadonlySet<EventId>;
}

/** The facts of a stored list, given the calls of the log that it was made of. Quadratic, for tests. */
export function listFacts(events: readonly LLMConvertibleEvent[], history: CallHistory): ListFacts {
  const numbers = new Set(history.calls.map(({ batch }) => batch));
  const batches = [...numbers].flatMap((batch) => batchFacts(events, history, batch) ?? []);
  const sent = sentFacts(events, history, batches);
  const ids = new Set<EventId>();
  const system = events.findLast(({ type }) => type === 'system-prompt');
  if (system !== undefined) ids.add(system.id);
  for (const item of sent) {
    if (item.kind === 'words') ids.add(item.event.id);
    else if (item.kind === 'late') ids.add(item.action.id).add(item.result.id);
    else for (const { id } of [...item.batch.calls, ...item.batch.results]) ids.add(id);
  }
  return { events, batches, sent, leftOut: new Set(events.map(({ id }) => id).filter((id) => !ids.has(id))) };
}

function batchFacts(
  events: readonly LLMConvertibleEvent[],
  history: CallHistory,
  batch: number,
): BatchFacts | undefined {
  const all = history.calls.filter((call) => call.batch === batch && !call.repeated);
  const [carrier] = all;
  const first = events.findIndex(({ id }) => all.some(({ action }) => action.id === id));
  if (carrier === undefined || first < 0) return undefined;
  const answered = all.filter((call) => call.result !== undefined && !call.late);
  const calls = events.filter(
    (event) => event.type === 'action' && answered.some(({ action }) => action.id === event.id),
  );
  const results = events.filter(
    (event) => isToolResult(event) && answered.some(({ result }) => result?.id === event.id),
  );
  const isWhole =
    calls.length === answered.length && results.length === answered.length && events[first]?.id === carrier.action.id;
  const isOpen = batch === history.openBatch && all.some(({ result }) => result === undefined);
  return {
    state: !isWhole && answered.length > 0 ? 'split' : isOpen ? 'open' : answered.length === 0 ? 'unanswered' : 'sent',
    first,
    last: events.findLastIndex(({ id }) => answered.some(({ result }) => result?.id === id)),
    isAnswered: answered.length > 0,
    carrier: carrier.action,
    pairs: answered.map(({ action, result }) => ({
      first: events.findIndex(({ id }) => id === action.id),
      last: events.findIndex(({ id }) => id === result?.id),
    })),
    calls: calls as ActionEvent[],
    results: results as ToolResultEvent[],
  };
}

function sentFacts(
  events: readonly LLMConvertibleEvent[],
  history: CallHistory,
  batches: readonly BatchFacts[],
): readonly SentFact[] {
  const sent = batches.filter(({ state }) => state === 'sent');
  const held = batches.find(({ state, isAnswered }) => state === 'open' && isAnswered)?.first ?? Infinity;
  /** Where something is sent that stands at an index: there, or behind the batch around it. */
  const place = (index: number): number => sent.find(({ first, last }) => first < index && index < last)?.last ?? index;
  const items: SentFact[] = sent.map((batch) => ({ kind: 'batch', index: batch.first, batch }));
  events.forEach((event, index) => {
    if (index > held) return;
    if ((event.type === 'message' || event.type === 'condensation-summary') && hasContent(event)) {
      items.push({ kind: 'words', index, event });
    }
    const call: CallRecord | undefined = isToolResult(event) ? history.byEvent.get(event.id) : undefined;
    const action = call?.late === true ? actionBefore(events, index, call.action.id) : undefined;
    if (isToolResult(event) && action !== undefined) items.push({ kind: 'late', index, action, result: event });
  });
  return items.sort((a, b) => place(a.index) - place(b.index) || a.index - b.index);
}

function actionBefore(events: readonly LLMConvertibleEvent[], index: number, id: EventId): ActionEvent | undefined {
  const event = events.slice(0, index).find((candidate) => candidate.id === id);
  return event?.type === 'action' ? event : undefined;
}
