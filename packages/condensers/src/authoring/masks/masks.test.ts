import { isToolResult } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { ViewProjection } from '@palimpsest/view';
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

test('an estimate looks only at new events', () => {
  let looked = 0;
  const counting: MaskRule = {
    isMaskable: (event) => {
      looked++;
      return isToolResult(event);
    },
    maskOf: (_, event) => ({ eventId: event.id, text: '' }),
  };
  const masks = masksBy(counting);
  const log = logBuilder();
  log.user('Go.');
  const projection = new ViewProjection();
  for (let step = 0; step < 200; step++) {
    log.call('read_file', { path: `${step}.ts` }, 'text '.repeat(100));
    for (const event of log.events.slice(projection.view.events.length)) projection.append(event);
    const { view } = projection;
    expect(masks.estimate(view, 0, view.events.length)?.savedTokens).toBeGreaterThan(step * 100);
  }
  expect(looked).toBe(projection.view.events.length);
});

test('events are examined ahead at a bounded number a call, each once, and a batch examines the rest', () => {
  const looked: string[] = [];
  const counting: MaskRule = {
    isMaskable: (event) => {
      looked.push(event.id);
      return isToolResult(event);
    },
    maskOf: (_, event) => ({ eventId: event.id, text: '' }),
  };
  const masks = masksBy(counting);
  const log = logBuilder();
  for (let step = 0; step < 100; step++) log.call('read_file', { path: `${step}.ts` }, 'text '.repeat(100));
  const projection = new ViewProjection();
  for (const event of log.events) projection.append(event);
  const { view } = projection;
  masks.ahead(view, 0, view.events.length);
  expect(looked).toHaveLength(64);
  masks.ahead(view, 0, 80);
  expect(looked).toHaveLength(80);
  expect(masks.of(view, 0, view.events.length)).toHaveLength(100);
  expect(looked).toEqual([...view.events].map(({ id }) => id));
});
