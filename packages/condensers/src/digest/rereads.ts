import { isLLMConvertible, isToolResult } from '@palimpsest/events';
import type { Condensation, EventId, LLMConvertibleEvent, ToolResultEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import { editsOf } from './lines/edits.js';
import { keysOf, withoutPlace } from './lines/text-lines.js';
import { refersToHidden } from './refused-reads.js';

/** What came back after it had been hidden, and what that took. Unit of the sizes: tokens, as the view estimates. */
export interface Rereads {
  /** The number of results that brought hidden text back. */
  readonly calls: number;
  /** The size of these results. The prompt cache writes them once more. */
  readonly tokens: number;
  /** The size of the requests that were made for nothing else. The prompt cache served them. */
  readonly requestTokens: number;
  /** The size of the calls, which the model wrote. */
  readonly outputTokens: number;
}

/** A result brings text back if at least so many of its lines do, and this part of them. */
const leastLines = 3;
const leastShare = 0.5;

/** One re-read, and where its result stands in the view. Unit of the sizes: tokens, as the view estimates. */
export interface Reread extends Omit<Rereads, 'calls'> {
  readonly index: number;
  /** The response whose call it answers. */
  readonly response: EventId;
  /** True for the last re-read of a response that made no other call: the request was made for nothing else. */
  readonly isAlone: boolean;
}

/**
 * Returns the re-reads among the results that a view shows. A result is one if at least half of its distinct lines, and three, stood in a
 * hidden result and stand at most as excerpts in what the model reads, and three of them nowhere. It is known by its content, whatever call
 * brought it, also behind the places that a search prints. Calls that write files never count. Nothing but the log decides, so a restart
 * finds the same.
 *
 * @param options.after - a position of the log: results up to it do not count. @defaultValue none
 * @param options.fixedTokens - the size of what is sent beside the view. Unit: tokens, as the view estimates. @defaultValue 0
 */
export function rereadsOf(
  view: View,
  options: { readonly after?: number | undefined; readonly fixedTokens?: number | undefined } = {},
): Rereads {
  let [calls, tokens, requestTokens, outputTokens] = [0, 0, 0, 0];
  for (const one of rereadsIn(view, options)) {
    calls += 1;
    tokens += one.tokens;
    requestTokens += one.requestTokens;
    outputTokens += one.outputTokens;
  }
  return { calls, tokens, requestTokens, outputTokens };
}

/**
 * Returns each re-read of {@link rereadsOf}, in the order of the view.
 *
 * @param options.quoted - true if results also count of which summaries quote all lines, because they were no longer whole, and those that
 * only refer to hidden text. @defaultValue false
 */
export function rereadsIn(
  view: View,
  {
    after,
    fixedTokens = 0,
    quoted = false,
  }: {
    readonly after?: number | undefined;
    readonly fixedTokens?: number | undefined;
    readonly quoted?: boolean | undefined;
  },
): readonly Reread[] {
  if (view.condensations.length === 0) return [];
  const found: Reread[] = [];
  const { results, responses } = resultsAfter(view, after);
  /** The responses whose calls have brought nothing but hidden text back. */
  const again = new Map<EventId, number>();
  const positions = view.condensations.map(({ id }) => view.positionOf(id) ?? 0);
  /** The number of condensations before a result. */
  let earlier = 0;
  for (const { event, index, response } of results) {
    const position = view.positionOf(event.id) ?? Infinity;
    while (earlier < positions.length && (positions[earlier] as number) < position) earlier++;
    const back = backIn(view, event, index, earlier);
    if (back === undefined || (back === 'quoted' && !quoted)) continue;
    const call = view.callOf(event.id);
    const count = (again.get(response) ?? 0) + 1;
    again.set(response, count);
    const isAlone = count === responses.get(response);
    found.push({
      index,
      response,
      isAlone,
      tokens: view.tokens(index, index + 1),
      requestTokens: isAlone ? fixedTokens + view.tokens(0, view.indexOf(response) ?? index) : 0,
      outputTokens: call === undefined ? 0 : view.tokensOf(call),
    });
  }
  return found;
}

/** A result of the view, with the response whose call it answers. */
interface Answer {
  readonly event: ToolResultEvent;
  readonly index: number;
  readonly response: EventId;
}

/** The results after a position, and how many each response has. */
function resultsAfter(view: View, after = -1): { results: readonly Answer[]; responses: ReadonlyMap<EventId, number> } {
  const results: Answer[] = [];
  const responses = new Map<EventId, number>();
  for (let index = view.events.length - 1; index >= 0; index--) {
    const event = view.events[index] as LLMConvertibleEvent;
    if (event.type === 'condensation-summary') continue;
    if ((view.positionOf(event.id) ?? Infinity) <= after) break;
    if (!isToolResult(event)) continue;
    const call = view.callOf(event.id);
    const response = call && view.responseOf(call.id);
    if (call === undefined || response === undefined) continue;
    responses.set(response, (responses.get(response) ?? 0) + 1);
    if (editsOf(call).length === 0) results.push({ event, index, response });
  }
  return { results: results.reverse(), responses };
}

/** A result brings text back that stands nowhere, or of which summaries quote all but two lines; or it refers to hidden text. */
type Back = 'gone' | 'quoted';

/** A cache: the answer for a result, by the newest condensation before it and the number of those in force. */
const known = new WeakMap<
  ToolResultEvent,
  { readonly by: Condensation; readonly of: number; readonly answer: Back | undefined }
>();

function backIn(view: View, event: ToolResultEvent, index: number, count: number): Back | undefined {
  const by = view.condensations[count - 1];
  if (by === undefined) return undefined;
  const found = known.get(event);
  if (found?.by === by && found.of === count) return found.answer;
  const answer = bringsBack(view, event, index, view.condensations.slice(0, count));
  known.set(event, { by, of: count, answer });
  return answer;
}

function bringsBack(
  view: View,
  event: ToolResultEvent,
  index: number,
  before: readonly Condensation[],
): Back | undefined {
  if (refersToHidden(view, event, before)) return 'quoted';
  const keys = keysOf(event);
  const least = Math.max(leastLines, keys.size * leastShare);
  if (keys.size < leastLines) return undefined;
  const hidden = hiddenKeys(view, before);
  let back = [...keys].flatMap((key) => [key, withoutPlace(key)].find((line) => hidden.has(line)) ?? []);
  if (back.length < least) return undefined;
  const [whole, excerpts] = [new Set<string>(), new Set<string>()];
  for (const other of shownBefore(view, event, index, before)) {
    const shown = other.type === 'condensation-summary' ? excerpts : whole;
    for (const key of keysOf(other)) shown.add(key).add(withoutPlace(key));
  }
  back = back.filter((key) => !whole.has(key));
  if (back.length < least) return undefined;
  return back.filter((key) => !excerpts.has(key)).length >= leastLines ? 'gone' : 'quoted';
}

/** What the model read when a result came: the events before it, also those that later condensations have forgotten or masked. */
function* shownBefore(
  view: View,
  event: ToolResultEvent,
  index: number,
  before: readonly Condensation[],
): Iterable<LLMConvertibleEvent> {
  yield* view.events.slice(0, index);
  const position = view.positionOf(event.id) ?? 0;
  const masked = new Set(before.flatMap(({ redactions = [] }) => redactions.map(({ eventId }) => eventId)));
  for (const { forgottenEventIds, redactions = [] } of view.condensations.slice(before.length)) {
    for (const id of [...forgottenEventIds, ...redactions.map(({ eventId }) => eventId)]) {
      const other = view.original(id);
      const isBefore = (view.positionOf(id) ?? Infinity) < position;
      if (isBefore && !masked.has(id) && other !== undefined && isLLMConvertible(other)) yield other;
    }
  }
}

/** The lines of hidden results, with the condensations that have hidden them. */
interface Hidden {
  readonly by: readonly Condensation[];
  readonly keys: Set<string>;
}

/** A cache, by the newest of the condensations. The set of a chain goes on with the next one: it grows with what is new. */
const hiddenBy = new WeakMap<Condensation, Hidden>();

function hiddenKeys(view: View, by: readonly Condensation[]): ReadonlySet<string> {
  const last = by.at(-1) as Condensation;
  const found = hiddenBy.get(last);
  if (found !== undefined && isPrefix(found.by, by) && found.by.length === by.length) return found.keys;
  const previous = by.at(-2);
  const older = previous && hiddenBy.get(previous);
  const goesOn = older !== undefined && older.by.length === by.length - 1 && isPrefix(older.by, by);
  const keys = goesOn ? older.keys : new Set<string>();
  if (goesOn && previous !== undefined) hiddenBy.delete(previous);
  for (const { forgottenEventIds, redactions = [] } of goesOn ? [last] : by) {
    for (const id of [...forgottenEventIds, ...redactions.map(({ eventId }) => eventId)]) {
      const event = view.original(id);
      if (event !== undefined && isToolResult(event)) for (const key of keysOf(event)) keys.add(key);
    }
  }
  hiddenBy.set(last, { by, keys });
  return keys;
}

function isPrefix(one: readonly Condensation[], other: readonly Condensation[]): boolean {
  return one.every((condensation, index) => condensation === other[index]);
}
