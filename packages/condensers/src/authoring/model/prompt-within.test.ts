import { logBuilder } from '@palimpsest/events/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutInMiddle, eventText, textLimits } from './event-text.js';
import { promptOf, promptWithin } from './prompt.js';
import type { PromptValues } from './prompt.js';

const frame = 80;

function eventsWith(lengths: readonly number[]) {
  const log = logBuilder();
  for (const [index, length] of lengths.entries()) log.user(`${index} `.padEnd(length + 4, 'word '));
  return log.events.filter((event) => event.type === 'message');
}

test('what is left out and how long the rest may be is decided as if all texts had been read', () => {
  const cases = {
    lengths: fc.array(fc.oneof(fc.nat(60), fc.nat(3_000)), { minLength: 1, maxLength: 300 }),
    contextWindow: fc.integer({ min: 100, max: 20_000 }),
    maxEventCharacters: fc.integer({ min: 1, max: 2_000 }),
    inputScale: fc.constantFrom(1, 0.5, 0.25),
  };
  const seen = { whole: 0, cut: 0, leftOut: 0, none: 0 };
  fc.assert(
    fc.property(fc.record(cases), ({ lengths, contextWindow, maxEventCharacters, inputScale }) => {
      const events = eventsWith(lengths);
      const longest = maxEventCharacters + frame;
      const texts = events.map(eventText);
      const framed = texts.map((text) => text.length + frame);
      const window = Math.floor((contextWindow * 0.9 - 64) * 4);
      const wanted = framed.reduce((sum, length) => sum + Math.min(length, longest), 0);
      const room = Math.floor(Math.min(window - 2 * frame, wanted) * inputScale);
      const { leftOut, limits } = textLimits(framed, { room, longest });
      const expected = events.flatMap(({ id, type }, index) =>
        index < leftOut
          ? []
          : [{ number: index + 1, id, type, text: cutInMiddle(texts[index] ?? '', (limits[index] ?? frame) - frame) }],
      );
      let shown: PromptValues | undefined;
      // Its own text has no length, so that the events have all of the room.
      const write = promptOf('x', (values) => {
        if (values.events.length > 0) shown = values;
        return values.events.length > 0 ? 'x' : '';
      });
      const input = { events, maxSummaryTokens: 64, inputScale };
      const ask = () => promptWithin(write, input, { contextWindow, maxOutputTokens: 64, maxEventCharacters });
      if (leftOut === events.length) {
        seen.none++;
        expect(ask).toThrow('has no room for an event');
        return;
      }
      ask();
      seen[leftOut > 0 ? 'leftOut' : room < wanted ? 'cut' : 'whole']++;
      expect(shown?.events).toEqual(expected);
      expect(shown?.leftOut).toBe(leftOut);
    }),
    { seed: 20_261_123, numRuns: 400 },
  );
  for (const [name, count] of Object.entries(seen)) expect(count, name).toBeGreaterThan(5);
});

test('the text of an event that is left out in any case is not made', () => {
  const [first, ...rest] = eventsWith(Array.from({ length: 100 }, () => 500));
  const unread = new Proxy(first ?? ({} as never), {
    get: (event, key) => {
      if (key === 'content') throw new Error('read');
      return Reflect.get(event, key) as unknown;
    },
  });
  const write = promptOf('x', ({ events, leftOut }) => `${leftOut} ${events.length}`);
  const ask = (contextWindow: number) => () =>
    promptWithin(
      write,
      { events: [unread, ...rest], maxSummaryTokens: 64 },
      { contextWindow, maxOutputTokens: 64, maxEventCharacters: 2_000 },
    );
  expect(ask(1_000)()).toBe('74 26');
  expect(ask(100_000)).toThrow('read');
});
