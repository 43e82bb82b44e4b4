import { isToolResult } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { View, ViewProjection } from '@palimpsest/view';
import { randomLog } from '@palimpsest/view/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { masksBy } from './masks.js';
import type { MaskRule } from './masks.js';

const rule: MaskRule = {
  isMaskable: (event) => isToolResult(event),
  maskOf: (_, event) => ({ eventId: event.id, text: '' }),
};

test('the masks of a range are the same whatever ranges were asked for before, while the list grows', () => {
  const ranges = fc.array(fc.tuple(fc.nat(60), fc.nat(60)), { minLength: 1, maxLength: 12 });
  let found = 0;
  fc.assert(
    fc.property(fc.nat(100_000), ranges, (seed, asked) => {
      const projection = new ViewProjection({
        estimateTokens: (event) => (JSON.stringify(event).includes('redacted') ? 1 : 99),
      });
      const masks = masksBy(rule);
      const { events } = randomLog({ seed, length: 40 });
      for (const [step, event] of events.entries()) {
        projection.append(event);
        const { view } = projection;
        const [from, to] = asked[step % asked.length] as readonly [number, number];
        const end = Math.min(to, view.events.length);
        const fresh = masksBy(rule);
        if (seed % 2 === 0) masks.ahead(view, to % 7, end);
        expect(masks.savable(view, from, end)).toBe(fresh.savable(view, from, end));
        expect(masks.of(view, from, end)).toEqual(fresh.of(view, from, end));
        found += fresh.of(view, from, end).length;
      }
    }),
    { seed: 20_261_122, numRuns: 60 },
  );
  expect(found).toBeGreaterThan(100);
});

test('a bounded number of the newest events of a range are examined ahead', () => {
  const looked: string[] = [];
  const counting: MaskRule = {
    isMaskable: (event) => {
      looked.push(event.id);
      return isToolResult(event);
    },
    maskOf: (_, event) => ({ eventId: event.id, text: '' }),
  };
  const log = logBuilder();
  for (let step = 0; step < 100; step++) log.call('read_file', { path: `${step}.ts` }, 'text '.repeat(100));
  const view = View.fromEvents(log.events);
  masksBy(counting).ahead(view, 0, 80);
  expect(looked).toEqual(view.events.slice(64, 80).map(({ id }) => id));
});
