import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { View, ViewProjection } from '@palimpsest/view';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fewer } from '../../../test-support/fewer.js';
import { isRead } from './call-facts.js';
import { readFacts, readFactsAhead } from './event-facts.js';
import type { Fact } from './fact.js';
import { Manifest } from './manifest.js';

const seed = 20_261_122;

/** Calls whose facts depend on the calls before them: new and known files, tests that fail and pass again. */
const calls: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ['write', { path: 'a.ts', content: 'x' }, 'done'],
  ['write', { path: 'b.ts', content: 'x' }, 'done'],
  ['read', { path: 'a.ts' }, 'text'],
  ['edit', { path: 'b.ts', old_string: 'x', new_string: 'y' }, 'done'],
  ['edit', { path: 'c.ts', content: 'y' }, 'created c.ts'],
  ['remove', { path: 'a.ts' }, 'done'],
  ['bash', { command: 'echo x > a.ts && cat b.ts' }, ''],
  ['bash', { command: 'npm test' }, 'not ok 1 - adds\nok 2 - divides\nexit code: 1'],
  ['bash', { command: 'npm test' }, 'ok 1 - adds\nok 2 - divides'],
  ['fetch', { url: 'https://example.org/issues/12' }, '{"id":"INV-20481"}'],
];

const histories = fc.record({
  picks: fc.array(fc.nat(calls.length - 1), { minLength: 2, maxLength: 40 }),
  /** Where a summary may begin: the state before a call differs with it. */
  starts: fc.array(fc.nat(30), { maxLength: 4 }),
  step: fc.integer({ min: 1, max: 5 }),
  named: fc.boolean(),
});

function logOf(picks: readonly number[], named: boolean): readonly Event[] {
  const log = logBuilder();
  for (const pick of picks) {
    const [name, input, result] = calls[pick] as (typeof calls)[number];
    log.call(name, input, result);
  }
  if (named) return log.events;
  return log.events.map((event) => {
    if (event.type !== 'observation') return event;
    const { actionId: _named, ...result } = event;
    return result;
  });
}

function factsFrom(events: readonly Event[], view: View, start: number): readonly Fact[] {
  const before = new Manifest();
  readFacts(events.slice(0, start), view, before);
  return readFacts(events.slice(start), view, new Manifest(), start % 2 === 0 ? before : undefined);
}

test('facts are those of the first reading, whatever was read before and with whatever state before it', () => {
  fc.assert(
    fc.property(histories, ({ picks, starts, step, named }) => {
      const events = logOf(picks, named);
      const view = View.fromEvents(events);
      for (let length = 0; length <= events.length; length += step) {
        readFactsAhead(View.fromEvents(events.slice(0, length)));
      }
      for (const start of [0, ...starts, 0]) {
        const copy = structuredClone<readonly Event[]>(events);
        expect(factsFrom(events, view, start)).toEqual(factsFrom(copy, View.fromEvents(copy), start));
      }
    }),
    { seed, numRuns: fewer(200) },
  );
});

test('reading ahead keeps up with a history that grows, and reads only the newest events of one that it finds', () => {
  const picks = Array.from({ length: 200 }, (_, index) => index % calls.length);
  const results = (events: readonly Event[]) => events.filter((event) => event.type === 'observation');
  const grown = logOf(picks, true);
  const projection = new ViewProjection();
  for (const event of grown) {
    projection.append(event);
    readFactsAhead(projection.view);
    expect(results(projection.view.events.slice()).every(isRead)).toBe(true);
  }

  const loaded = View.fromEvents(logOf(picks, true));
  const read = () => results(loaded.events.slice()).filter(isRead).length;
  for (let call = 0; call < 3; call++) readFactsAhead(loaded);
  expect(read()).toBe(8);
});
