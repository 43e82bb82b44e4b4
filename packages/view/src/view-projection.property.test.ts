import type { Event } from '@palimpsest/events';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { fewer } from '../test-support/fewer.js';
import { View, ViewProjection } from './index.js';
import { fingerprint } from './testing/contract/fingerprint.js';
import { LogTally } from './testing/log-tally.js';
import { messageViolations } from './testing/message-violations.js';

const seed = 20_261_121;
const tally = new LogTally();
const logs = fc.record({ seed: fc.nat(1_000_000), length: fc.integer({ min: 5, max: 60 }), dirty: fc.boolean() });
const forLogs = (numRuns: number, check: (events: readonly Event[]) => void) =>
  fc.assert(
    fc.property(logs, (options) => tally.check(options, check)),
    { seed, numRuns: fewer(numRuns) },
  );

afterAll(() => console.log(`fast-check seed ${seed}; ${tally.report()}`));

test('at every prefix the messages are ones that a strict provider takes, in every thinking mode', () => {
  forLogs(200, (events) => {
    const projection = new ViewProjection();
    for (const event of events) {
      projection.append(event);
      for (const thinking of ['prefix-bound', 'latest-turn', 'none'] as const) {
        expect(messageViolations(projection.view.toMessages({ thinking }))).toEqual([]);
      }
    }
  });
});

test('a view stays as it was, whatever is appended and whenever it is looked at, and so do views made from it', () => {
  forLogs(60, (events) => {
    const projection = new ViewProjection({ thinking: 'latest-turn' });
    const seen = events.map((event, index) => {
      projection.append(event);
      const { view } = projection;
      return { view, print: index % 2 === 0 ? fingerprint(view) : undefined, length: index + 1 };
    });
    for (const { view, print, length } of seen.filter((_, index) => index % 3 === 0)) {
      const rebuilt = View.fromEvents(events.slice(0, length), { thinking: 'latest-turn' });
      const wanted = fingerprint(rebuilt);
      expect(fingerprint(view)).toBe(wanted);
      if (print !== undefined) expect(print).toBe(wanted);
      const last = new Set([...view.events].slice(-3).map(({ id }) => id));
      expect(fingerprint(view.without(last))).toBe(fingerprint(rebuilt.without(last)));
      const known = new Set(events.slice(0, length).map(({ id }) => id));
      expect(events.filter(({ id }) => view.original(id) !== undefined)).toEqual(
        events.filter(({ id }) => known.has(id)),
      );
    }
  });
});
