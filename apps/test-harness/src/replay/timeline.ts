import type { Condensation, Event, EventId } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import type { Fault } from '../measure/money.js';
import { textOfEvent, toolOf } from '../measure/recorded-session.js';
import type { EventKind, RecordedSession } from '../measure/recorded-session.js';
import type { Meter } from '../measure/replayed-call.js';
import { tokensOfEvent } from '../measure/tokens.js';
import type { TextCounter } from '../measure/tokens.js';

/** A session call by call, with each condenser: every text once, views as ids. The id of an item is its index. */
export interface SessionTimeline {
  /** Each text that an item shows, once. Empty in a redacted page. */
  readonly texts: readonly string[];
  /** The events that a model reads in the order of the log; after them the stubs and summaries that condensers made. */
  readonly items: readonly TimelineItem[];
  /** The number of items that are events of the log. */
  readonly logged: number;
  /** By model call: how many events of the log stand before it. */
  readonly calls: readonly number[];
  readonly policies: readonly PolicyTimeline[];
}

/** The kinds of items: those of events, and what condensers put in the place of events. */
export type ItemKind = Exclude<EventKind, 'internal'> | 'stub' | 'summary';

/** Something that a model reads as one: a message, a call, a result, a stub, a summary. */
export interface TimelineItem {
  readonly kind: ItemKind;
  /** The model call whose answer, or results, the item belongs to; -1 before the first. */
  readonly step: number;
  readonly tokens: number;
  /** The index of the text. Absent in a redacted page. */
  readonly text?: number;
  /** The name of the tool of a call or a result. */
  readonly tool?: string;
  readonly isError?: true;
  /** Of a stub: the item in whose place it stands. */
  readonly of?: number;
}

/** A run of neighbouring items, both ends included, or one item. */
export type ItemRun = number | readonly [from: number, to: number];

/** The session call by call, with one condenser. */
export interface PolicyTimeline {
  readonly policy: string;
  /** By model call: the size of the request, and how much of it the cache holds. Unit: tokens. */
  readonly tokens: readonly number[];
  readonly cached: readonly number[];
  /** By model call: how many items at the beginning of the view are those of the call before; what follows them. */
  readonly views: readonly (readonly [same: number, ...added: readonly ItemRun[]])[];
  readonly condensations: readonly TimelineCondensation[];
  /** Old items that a call took something from and that it was not shown. */
  readonly faults: readonly { readonly call: number; readonly item: number; readonly kinds: readonly string[] }[];
  readonly errors: readonly { readonly call: number; readonly message: string }[];
}

/** A condensation that was made before a model call, and why. */
export interface TimelineCondensation {
  readonly call: number;
  readonly condenser: string;
  /** Absent if the condenser does not say. */
  readonly reason?: string | undefined;
  readonly stage?: string | undefined;
  readonly forgotten: number;
  readonly masked: number;
  /** By the condenser's estimate. Unit: tokens. */
  readonly tokensBefore?: number | undefined;
  readonly tokensAfter?: number | undefined;
}

/**
 * Keeps what a model would have read at each call with a policy.
 *
 * @param faults - what the calls needed and did not see; grows while the meter listens
 */
export function timelineMeter(policy: string, table: ItemTable, faults: readonly Fault[]): Meter<PolicyTimeline> {
  const [tokens, cached]: [number[], number[]] = [[], []];
  const views: PolicyTimeline['views'][number][] = [];
  const condensations: TimelineCondensation[] = [];
  const errors: { readonly call: number; readonly message: string }[] = [];
  let before: readonly number[] = [];
  return {
    atCall: ({ index: call, view, prompt, ...made }) => {
      tokens.push(prompt.tokens);
      cached.push(prompt.cached);
      errors.push(...made.errors.map((message) => ({ call, message })));
      condensations.push(...made.condensations.map((each) => condensationAt(call, each, policy)));
      const shown = table.itemsOf(view, call);
      let same = 0;
      while (same < shown.length && shown[same] === before[same]) same++;
      views.push([same, ...itemRuns(shown.slice(same))]);
      before = shown;
    },
    result: () => {
      const missed = faults.flatMap(({ modelCall, source, kinds }) => {
        const item = table.itemOf(source);
        return item === undefined ? [] : [{ call: modelCall, item, kinds }];
      });
      return { policy, tokens, cached, views, condensations, faults: missed, errors };
    },
  };
}

function condensationAt(
  call: number,
  { forgottenEventIds, redactions = [], metadata = {} }: Condensation,
  policy: string,
): TimelineCondensation {
  const text = (key: string): string | undefined => {
    const value = metadata[key];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const size = (key: string): number | undefined => {
    const value = metadata[key];
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
  };
  return {
    call,
    condenser: text('condenser') ?? policy,
    reason: text('reason'),
    stage: text('stage'),
    forgotten: forgottenEventIds.length,
    masked: redactions.length,
    tokensBefore: size('tokensBefore'),
    tokensAfter: size('tokensAfter'),
  };
}

/** The ids of everything that a model reads in a session. Each text stands in it once. */
export interface ItemTable {
  readonly items: readonly TimelineItem[];
  readonly texts: readonly string[];
  readonly logged: number;
  /** By model call: how many items of the log stand before it. */
  readonly calls: readonly number[];
  /** The item of an event of the session, by the event's index. */
  itemOf(eventIndex: number): number | undefined;
  /** The items of a view, in its order, without what is not sent. Stubs and summaries get ids when they are first seen. */
  itemsOf(view: View, modelCall: number): readonly number[];
}

/** Gives an id to everything that a model reads in a session. @param tokens - by event */
export function itemTable(session: RecordedSession, tokens: readonly number[], count: TextCounter): ItemTable {
  const items: TimelineItem[] = [];
  const texts: string[] = [];
  const textIds = new Map<string, number>();
  const itemOfEvent = new Map<EventId, number>();
  const before: number[] = [];
  const added = new Map<string, number>();
  const known = new WeakMap<Event, number>();

  const textId = (text: string): number => {
    const found = textIds.get(text) ?? texts.length;
    if (found === texts.length) texts.push(text);
    textIds.set(text, found);
    return found;
  };
  session.events.forEach((event, index) => {
    before.push(items.length);
    const kind = session.kinds[index] ?? 'internal';
    if (kind === 'internal' || session.indexOf.get(event.id) !== index) return;
    itemOfEvent.set(event.id, items.length);
    known.set(event, items.length);
    items.push({ kind, step: session.stepOf[index] ?? -1, tokens: tokens[index] ?? 0, ...textAndTool(event) });
  });
  const logged = items.length;

  function textAndTool(event: Event): Pick<TimelineItem, 'text' | 'tool' | 'isError'> {
    const tool = toolOf(event);
    const isError = event.type === 'agent-error' || ('isError' in event && event.isError === true);
    return {
      text: textId(itemText(event)),
      ...(tool !== undefined && { tool }),
      ...(isError && { isError }),
    };
  }
  function madeItem(event: Event, step: number): number {
    const of = itemOfEvent.get(event.id);
    const text = itemText(event);
    const key = `${of ?? ''}\u0000${text}`;
    const found = added.get(key);
    if (found !== undefined) return found;
    const size = tokensOfEvent(event, count);
    const kind = of === undefined ? 'summary' : 'stub';
    const place = of === undefined ? {} : { of };
    items.push({ kind, step, tokens: size, ...place, ...textAndTool(event) });
    added.set(key, items.length - 1);
    return items.length - 1;
  }
  return {
    items,
    texts,
    logged,
    calls: session.calls.map((end) => before[end] ?? logged),
    itemOf: (index) => itemOfEvent.get(session.events[index]?.id ?? ''),
    itemsOf: (view, modelCall) => {
      const shown: number[] = [];
      for (const event of view.events) {
        if (view.leftOut.has(event.id)) continue;
        let item = known.get(event);
        if (item === undefined) known.set(event, (item = madeItem(event, modelCall - 1)));
        shown.push(item);
      }
      return shown;
    },
  };
}

/** Returns neighbouring ids as runs. */
export function itemRuns(items: readonly number[]): readonly ItemRun[] {
  const runs: [number, number][] = [];
  for (const item of items) {
    const last = runs.at(-1);
    if (last !== undefined && item === last[1] + 1) last[1] = item;
    else runs.push([item, item]);
  }
  return runs.map(([from, to]) => (from === to ? from : [from, to]));
}

/** Returns the text of an event as a person reads it. The arguments of a call stand as JSON, one member a line. */
export function itemText(event: Event): string {
  if (event.type !== 'action') return textOfEvent(event).trim();
  const thought = event.thought.map((part) => (part.type === 'text' ? part.text : '[image]')).join('\n');
  const { name, arguments: json } = event.toolCall;
  return `${thought}\n${name} ${indented(json)}`.trim();
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
