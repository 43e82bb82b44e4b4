import type { Event, EventId } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import { eventTokens } from '../measure/event-tokens.js';
import { recordedSession } from '../measure/recorded-session.js';
import type { RecordedSession } from '../measure/recorded-session.js';
import type { TextCounter } from '../replay/token-counter.js';
import { itemText } from './item-text.js';
import type { ItemRun, TimelineItem } from './page-data.js';

/** Gives an id to everything that a model reads in a session, and keeps each text once. */
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

/** An {@link ItemTable} of a session. */
export function itemTable(session: RecordedSession, count: TextCounter): ItemTable {
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
  const tokens = eventTokens(session, count);
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
    const tool =
      event.type === 'action' ? event.toolCall.name : 'toolName' in event ? String(event.toolName) : undefined;
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
    const size = eventTokens(recordedSession([event]), count)[0] ?? 0;
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

/** Neighbouring ids as runs. */
export function itemRuns(items: readonly number[]): readonly ItemRun[] {
  const runs: [number, number][] = [];
  for (const item of items) {
    const last = runs.at(-1);
    if (last !== undefined && item === last[1] + 1) last[1] = item;
    else runs.push([item, item]);
  }
  return runs.map(([from, to]) => (from === to ? from : [from, to]));
}
