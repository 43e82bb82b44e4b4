import type { Event, LLMConvertibleEvent, Message } from '@palimpsest/events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fewer } from '../test-support/fewer.js';
import { itemMessages, View } from './index.js';
import type { SentItem, SentOrder } from './index.js';
import { randomLog } from './testing/random-log.js';
import { sentParts, sentThinking } from './testing/sent-parts.js';

/** A message type of somebody else's framework. */
interface ForeignMessage {
  readonly from: 'instructions' | 'human' | 'machine' | 'function';
  /** All that the message holds, in the framework's own form. */
  readonly body: string;
}

const senders = { system: 'instructions', user: 'human', assistant: 'machine', tool: 'function' } as const;
const toForeign = (message: Message): ForeignMessage => ({
  from: senders[message.role],
  body: JSON.stringify(message),
});
const fromForeign = ({ body }: ForeignMessage): Message => JSON.parse(body) as Message;

/** The messages that a host has, by the events that were made of them, and the ids of their calls. */
class HostMessages {
  readonly #known = new Map<string, ForeignMessage>();

  constructor(order: SentOrder) {
    for (const item of order.items) {
      const messages = itemMessages(item, order);
      keysOf(item).forEach((key, index) => {
        const message = messages[index];
        if (message !== undefined) this.#known.set(key, toForeign(message));
      });
    }
  }

  /** The host's own message for a part of an item; undefined where there is none, or the events are not as they were. */
  untouched(view: View, item: SentItem, place: number): ForeignMessage | undefined {
    const events = eventsOf(item)[place] ?? [];
    const isAsLogged = events.every((event) => view.original(event.id) === event);
    const isThinkingStale = events.some(({ id }) => view.sent().isThinkingStale(id));
    return isAsLogged && !isThinkingStale ? this.#known.get(keysOf(item)[place] ?? '') : undefined;
  }
}

/** For each message of an item the events that it is made of. */
function eventsOf(item: SentItem): readonly (readonly LLMConvertibleEvent[])[] {
  switch (item.kind) {
    case 'words':
      return [[item.event]];
    case 'late':
      return [[item.call.event], [item.result.event]];
    case 'batch':
      return [[...item.response, ...item.calls.map(({ event }) => event)], ...item.results.map(({ event }) => [event])];
  }
}

function keysOf(item: SentItem): readonly string[] {
  const callIds = item.kind === 'words' ? [] : item.kind === 'late' ? [item.call] : item.calls;
  const sentIds = callIds.map(({ sentId }) => sentId).join(' ');
  return eventsOf(item).map((events) => [item.kind, sentIds, ...events.map(({ id }) => id)].join(' '));
}

/** Renders a view into the host's messages: its own objects where nothing was changed. */
function render(view: View, host: HostMessages): readonly ForeignMessage[] {
  const order = view.sent();
  const rendered: ForeignMessage[] = [];
  if (order.system !== undefined) {
    const [first] = view.toMessages();
    if (first?.role === 'system') rendered.push(toForeign(first));
  }
  for (const item of order.items) {
    const messages = itemMessages(item, order);
    messages.forEach((message, place) => rendered.push(host.untouched(view, item, place) ?? toForeign(message)));
  }
  return rendered;
}

test('a renderer of somebody else sends what toMessages does, and passes untouched messages through as they were', () => {
  const options = fc.record({
    seed: fc.nat(1_000_000),
    dirty: fc.boolean(),
    length: fc.integer({ min: 20, max: 120 }),
  });
  let [passed, all, edited] = [0, 0, 0];
  fc.assert(
    fc.property(options, ({ seed, dirty, length }) => {
      const { events } = randomLog({ seed, dirty, length });
      const isEdit = ({ type }: Event): boolean => type.startsWith('condensation');
      const before = View.fromEvents(events.filter((event) => !isEdit(event)));
      const host = new HostMessages(before.sent());
      const view = View.fromEvents(events);
      const rendered = render(view, host);
      const [ours, theirs] = [view.toMessages(), rendered.map(fromForeign)];
      expect(sentParts(theirs)).toEqual(sentParts(ours));
      expect(sentThinking(theirs)).toEqual(sentThinking(ours));

      const again = render(view, host);
      const same = rendered.filter((message, index) => message === again[index]);
      passed += same.length;
      all += rendered.length;
      if (view.condensations.length > 0) edited++;
    }),
    { seed: 20_261_122, numRuns: fewer(60) },
  );
  expect(edited).toBeGreaterThan(fewer(20));
  // By identity, which what is rendered anew never is.
  expect(passed / all).toBeGreaterThan(0.8);
  expect(passed).toBeLessThan(all);
});
