import { isToolResult } from '@palimpsest/events';
import type { Event, EventId, LLMConvertibleEvent, Message, ToolResultEvent } from '@palimpsest/events';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { fewer } from '../test-support/fewer.js';
import { View, ViewProjection, redactedCopy } from './index.js';
import type { RenderOptions, Replacement, ThinkingMode } from './index.js';
import { LogTally } from './testing/log-tally.js';
import { messagesOfItems } from './testing/messages-of-items.js';

const seed = 20_261_122;
const tally = new LogTally();
const logs = fc.record({ seed: fc.nat(1_000_000), length: fc.integer({ min: 5, max: 60 }), dirty: fc.boolean() });
const forLogs = (numRuns: number, check: (events: readonly Event[]) => void) =>
  fc.assert(
    fc.property(logs, (options) => tally.check(options, check)),
    { seed, numRuns: fewer(numRuns) },
  );

const labelObservation = ({ id }: ToolResultEvent): string | undefined =>
  id.endsWith('7') ? undefined : `[${id.slice(-3)}]`;
const modes: readonly ThinkingMode[] = ['prefix-bound', 'latest-turn', 'none'];
const allOptions: readonly RenderOptions[] = [
  {},
  ...modes.flatMap((thinking) => [{ thinking }, { thinking, labelObservation }]),
];

afterAll(() => console.log(`fast-check seed ${seed}; ${tally.report()}`));

/** Masks a third of the results that are older than the last events, always by the same copies. */
function masks(): (view: View) => ReadonlyMap<EventId, Replacement> {
  const copies = new Map<EventId, LLMConvertibleEvent>();
  return (view) => {
    const changes = new Map<EventId, Replacement>();
    for (const event of view.events.slice(0, -6)) {
      if (!isToolResult(event) || Number(event.id.replaceAll(/\D/g, '')) % 3 !== 0) continue;
      const copy = copies.get(event.id) ?? redactedCopy(event, { text: `masked ${event.id}` });
      if (copy === undefined) continue;
      copies.set(event.id, copy);
      changes.set(event.id, { event: copy, effectiveFrom: event.id });
    }
    return changes;
  };
}

test('at every prefix, with any options, the messages of a growing log are those of the log from the start', () => {
  forLogs(60, (events) => {
    for (const thinking of modes) {
      const projections = allOptions.map(() => new ViewProjection({ thinking }));
      const alternating = new ViewProjection({ thinking });
      for (const [index, event] of events.entries()) {
        for (const projection of [...projections, alternating]) projection.append(event);
        const rebuilt = View.fromEvents(events.slice(0, index + 1), { thinking });
        for (const [place, options] of allOptions.entries()) {
          const wanted = rebuilt.toMessages(options);
          expect(projections[place]?.view.toMessages(options)).toEqual(wanted);
          if (index % 4 === 0) expect(alternating.view.toMessages(options)).toEqual(wanted);
        }
      }
    }
  });
});

test('views that are kept render the same later, whatever is appended and rendered in between', () => {
  const options = fc.record({ every: fc.integer({ min: 1, max: 5 }), place: fc.nat(allOptions.length - 1), log: logs });
  fc.assert(
    fc.property(options, ({ every, place, log }) =>
      tally.check(log, (events) => {
        const projection = new ViewProjection();
        const chosen = allOptions[place] as RenderOptions;
        const kept = events.map((event, index) => {
          projection.append(event);
          const { view } = projection;
          return { view, messages: index % every === 0 ? view.toMessages(chosen) : undefined };
        });
        for (const [index, { view, messages }] of [...kept.entries()].reverse()) {
          const again = view.toMessages(chosen);
          expect(again).toEqual(View.fromEvents(events.slice(0, index + 1)).toMessages(chosen));
          if (messages !== undefined) expect(again).toEqual(messages);
        }
      }),
    ),
    { seed, numRuns: fewer(80) },
  );
});

test('views that others are made of at every step are those of the log from the start', () => {
  forLogs(60, (events) => {
    const projection = new ViewProjection();
    const masked = masks();
    for (const [index, event] of events.entries()) {
      projection.append(event);
      const { view } = projection;
      const rebuilt = View.fromEvents(events.slice(0, index + 1));
      const gone = new Set(view.events.slice(2, Math.max(2, view.events.length - 8)).map(({ id }) => id));
      const pairs = [
        [view.replace(masked(view)), rebuilt.replace(masks()(rebuilt))],
        [view.without(gone), rebuilt.without(gone)],
        [view.replace(masked(view)).without(gone), rebuilt.replace(masks()(rebuilt)).without(gone)],
      ] as const;
      for (const [made, wanted] of pairs) {
        expect(made.toMessages()).toEqual(wanted.toMessages());
        if (index % 3 === 0) {
          expect(made.toMessages({ labelObservation })).toEqual(wanted.toMessages({ labelObservation }));
        }
      }
    }
  });
});

/** The messages of calls and results by their content, which contains ids that no two of them share. */
function byContent(messages: readonly Message[]): ReadonlyMap<string, Message> {
  const withCalls = messages.filter(
    (message) => message.role === 'tool' || (message.role === 'assistant' && message.toolCalls !== undefined),
  );
  return new Map(withCalls.map((message) => [JSON.stringify(message), message]));
}

test('a message that is the same as before is the same object, also behind an edit and in a view made of another', () => {
  let [kept, edited] = [0, 0];
  forLogs(60, (events) => {
    const projection = new ViewProjection();
    const masked = masks();
    let before: readonly Message[] = [];
    let maskedBefore: readonly Message[] = [];
    for (const event of events) {
      projection.append(event);
      const { view } = projection;
      const [messages, maskedMessages] = [view.toMessages(), view.replace(masked(view)).toMessages()];
      for (const [older, newer] of [
        [before, messages],
        [maskedBefore, maskedMessages],
      ] as const) {
        const known = byContent(older);
        for (const [content, message] of byContent(newer)) {
          const same = known.get(content);
          if (same === undefined) continue;
          expect(message === same, content).toBe(true);
          kept++;
          if (event.type.startsWith('condensation')) edited++;
        }
        // Without an edit a message stands where it stood.
        if (event.type === 'message' || event.type === 'observation') {
          older.slice(0, -1).forEach((message, index) => {
            if (JSON.stringify(message) === JSON.stringify(newer[index])) expect(message === newer[index]).toBe(true);
          });
        }
      }
      expect(view.toMessages()).not.toBe(messages);
      [before, maskedBefore] = [messages, maskedMessages];
    }
  });
  expect(kept).toBeGreaterThan(fewer(10_000));
  expect(edited).toBeGreaterThan(fewer(500));
});

const isSpoken = ({ role }: Message): boolean => role !== 'system';

test('the messages of the items, merged, are those of the view, with any options', () => {
  forLogs(60, (events) => {
    const view = View.fromEvents(events);
    for (const options of allOptions) {
      expect(view.toMessages(options).filter(isSpoken)).toEqual(messagesOfItems(view, options));
    }
  });
});

/** A copy with other content. */
function changedCopy(event: LLMConvertibleEvent, text: string): LLMConvertibleEvent | undefined {
  if (isToolResult(event)) return redactedCopy(event, { text });
  if (event.type === 'action') return redactedCopy(event, { arguments: JSON.stringify({ text }) });
  if (event.type === 'message') return { ...event, content: [{ type: 'text', text }] };
  return event.type === 'system-prompt' ? { ...event, systemPrompt: text } : { ...event, summary: text };
}

test('a view whose replaced events grow, change and shrink with the log sends what the rules say, and so does one that was kept', () => {
  const options = fc.record({
    log: logs,
    choices: fc.infiniteStream(fc.nat(1_000)),
    place: fc.nat(allOptions.length - 1),
  });
  let [stale, grown] = [0, 0];
  fc.assert(
    fc.property(options, ({ log, choices, place }) =>
      tally.check(log, (events) => {
        const projection = new ViewProjection();
        const changes = new Map<EventId, Replacement>();
        const chosen = allOptions[place] as RenderOptions;
        const next = (below: number): number => (choices.next().value as number) % below;
        const kept: { readonly view: View; readonly messages: readonly Message[] }[] = [];
        for (const [index, event] of events.entries()) {
          projection.append(event);
          const { view } = projection;
          const target = view.events.at(next(view.events.length + 1));
          const copy = target && changedCopy(target, `copy ${index}`);
          if (copy !== undefined && next(3) === 0) {
            const effectiveFrom = [undefined, target?.id, event.id, events[index + 3]?.id][next(4)];
            changes.set(copy.id, { event: copy, effectiveFrom });
            grown++;
          }
          const [some] = changes.keys();
          if (some !== undefined && next(12) === 0) changes.delete(some);
          const made = view.replace(new Map(changes));
          const messages = made.toMessages(chosen);
          expect(messages.filter(isSpoken)).toEqual(messagesOfItems(made, chosen));
          const rebuilt = View.fromEvents(events.slice(0, index + 1));
          if (changes.size === 0) expect(messages).toEqual(rebuilt.toMessages(chosen));
          expect([...made.leftOut]).toEqual([...made.sent().leftOut]);
          stale += [...made.events].filter(
            ({ id }) => made.sent().isThinkingStale(id) && !view.sent().isThinkingStale(id),
          ).length;
          if (index % 4 === 0) kept.push({ view: made, messages });
        }
        for (const { view, messages } of kept) expect(view.toMessages(chosen)).toEqual(messages);
      }),
    ),
    { seed, numRuns: fewer(60) },
  );
  expect(stale).toBeGreaterThan(fewer(150));
  expect(grown).toBeGreaterThan(fewer(250));
});

function expectFrozen(value: unknown, path: string): void {
  if (typeof value !== 'object' || value === null) return;
  expect(Object.isFrozen(value), path).toBe(true);
  for (const [key, item] of Object.entries(value)) expectFrozen(item, `${path}.${key}`);
}

test('a caller cannot change a message: of checked events everything is frozen, of others what the view has made', () => {
  forLogs(40, (events) => {
    const projection = new ViewProjection();
    for (const event of events) projection.append(event);
    for (const options of allOptions) {
      for (const view of [projection.view, projection.view.replace(masks()(projection.view))]) {
        view.toMessages(options).forEach((message, index) => expectFrozen(message, `${index}`));
      }
    }
    const unchecked = structuredClone(events) as Event[];
    const view = View.fromEvents(unchecked);
    for (const message of view.toMessages({ labelObservation })) {
      const lists = message.role === 'assistant' ? [message.toolCalls, message.thinkingBlocks] : [];
      expect([message, message.content, ...lists].every((made) => Object.isFrozen(made))).toBe(true);
    }
    expect(unchecked.some((event) => Object.isFrozen(event))).toBe(false);
    expect(unchecked.some((event) => event.type === 'message' && Object.isFrozen(event.content))).toBe(false);
  });
});
