import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { View } from '@palimpsest/view';
import { randomLog } from '@palimpsest/view/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fewer } from '../../../test-support/fewer.js';
import { readFacts } from './event-facts.js';
import type { Fact } from './fact.js';
import { Manifest } from './manifest.js';
import { wordsOfEvent } from './words-of-event.js';

function sourceOf(events: readonly Event[]) {
  const byId = new Map(events.map((event) => [event.id, event]));
  return { original: (id: string) => byId.get(id) };
}

const factsOf = (events: readonly Event[], source = sourceOf(events), known: readonly Fact[] = []) =>
  readFacts(events, source, new Manifest(known));

test('who spoke, and what calls did, in the order of the log', () => {
  const log = logBuilder();
  log.system();
  const asked = log.user('Go.');
  log.environment('The branch changed.');
  const { action } = log.call('read', { path: 'a' }, 'text', { thought: [{ type: 'text', text: 'First a look.' }] });
  log.action('unanswered');
  log.agent('   ');
  const answered = log.agent('Done.');
  expect(factsOf(log.events)).toEqual([
    { kind: 'words', by: 'user', eventId: asked.id },
    { kind: 'words', by: 'agent', eventId: action.id },
    { kind: 'file', path: 'a', operation: 'read' },
    { kind: 'words', by: 'agent', eventId: answered.id },
  ]);
});

test('what was known before decides what is new', () => {
  const log = logBuilder();
  log.call('write', { path: 'a', content: 'x' });
  log.call('bash', { command: 'npm test -- a' }, 'ok 1 - a\nok 2 - b');
  const known = [
    { kind: 'file', path: 'a', operation: 'read' },
    { kind: 'tests', of: 'npm test', failing: ['a'], passing: [] },
  ] as const;
  const facts = factsOf(log.events, undefined, known);
  expect(facts[0]).toEqual({ kind: 'file', path: 'a', operation: 'modified' });
  expect(facts).toContainEqual({ kind: 'tests', of: 'npm test -- a', failing: [], passing: ['a'] });
});

test('what is known besides decides too, and stays out of the manifest', () => {
  const log = logBuilder();
  log.call('write', { path: 'a', content: 'x' });
  const manifest = new Manifest();
  const besides = new Manifest([
    { kind: 'file', path: 'a', operation: 'read' },
    { kind: 'file', path: 'b', operation: 'read' },
  ]);
  readFacts(log.events, sourceOf(log.events), manifest, besides);
  expect(manifest.files).toEqual([{ path: 'a', operations: ['modified'] }]);
});

test('an event that the view holds as it was logged is not looked up, and says the same', () => {
  let masked = 0;
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const view = View.fromEvents(randomLog({ seed, length: 150 }).events);
      const events = view.events.slice();
      masked += events.filter((event) => 'redacted' in event).length;
      const ids = events.map(({ id }) => ({ id }));
      const lookedUp: string[] = [];
      const counting = { original: (id: string) => (lookedUp.push(id), view.original(id)) };
      expect(readFacts(events, view, new Manifest())).toEqual(readFacts(ids, view, new Manifest()));
      expect(readFacts(events, counting, new Manifest())).toEqual(readFacts(ids, view, new Manifest()));
      const plain = events.filter((event) => event.type !== 'condensation-summary' && !('redacted' in event));
      const calls = new Set(events.flatMap((event) => ('actionId' in event ? [event.actionId] : [])));
      expect(plain.filter(({ id }) => lookedUp.includes(id) && !calls.has(id))).toEqual([]);
    }),
    { seed: 20_261_123, numRuns: fewer(40) },
  );
  expect(masked).toBeGreaterThan(fewer(10));
});

test('facts of two stretches between cut points, one behind the other, are the facts of the whole', () => {
  fc.assert(
    fc.property(fc.integer(), fc.nat(100), (seed, near) => {
      const view = View.fromEvents(randomLog({ seed, length: 100 }).events);
      const events = [...view.events];
      const at = view.cutPoints.atOrBefore(near) ?? 0;
      const source = sourceOf(events);
      const whole = factsOf(events, source);
      const first = factsOf(events.slice(0, at), source);
      const both = [...first, ...factsOf(events.slice(at), source, first)];
      expect(both).toEqual(whole);
      expect(new Manifest(both).files).toEqual(new Manifest(whole).files);
    }),
    { seed: 20_261_121, numRuns: fewer(60) },
  );
});

test('words are read as they were said', () => {
  const log = logBuilder();
  const image = log.user([
    { type: 'text', text: ' Look: ' },
    { type: 'image', url: 'https://example.com/a.png' },
  ]);
  expect(wordsOfEvent(image)).toBe('Look: \n[image]');
  const call = log.action('edit');
  expect(wordsOfEvent(log.reject(call, 'not so'))).toBe('not so');
  expect(wordsOfEvent(log.observation(call, 'Refused. The user said:\nuse a map'))).toBe('use a map');
  expect(wordsOfEvent(log.pause())).toBeUndefined();
  expect(wordsOfEvent(undefined)).toBeUndefined();
});
