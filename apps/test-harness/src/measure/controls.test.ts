import { logBuilder } from '@palimpsest/events/testing';
import { View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { prefixMeter } from './cache.js';
import { controlsOf, recallAt } from './controls.js';
import { evidenceOf } from './evidence.js';
import { recordedSession } from './recorded-session.js';
import { eventTokens, textCounter } from './tokens.js';

const path = 'src/tokens/readToken.ts';

/** A listing names a file early; it is opened at the end. */
function session() {
  const log = logBuilder();
  log.system('You repair programs.');
  log.user('Mend the tokenizer.');
  log.call('list', {}, path);
  for (let step = 0; step < 30; step++) log.call('think', { step }, 'a result of some length '.repeat(20));
  log.call('read', { path }, 'text');
  return recordedSession(log.events);
}

test('who knows the future keeps what is needed; who keeps the newest does not', () => {
  const recorded = session();
  const { lastN, belady } = controlsOf(recorded, evidenceOf(recorded), eventTokens(recorded, textCounter()), 0);
  const [newest, needed] = [recallAt(lastN, 0.4), recallAt(belady, 0.4)];
  expect(newest).toBe(0);
  expect(needed).toBe(1);
});

test('a control that evicts at every call reads from the cache only what is fixed', () => {
  const recorded = session();
  const tokens = eventTokens(recorded, textCounter());
  const { lastN } = controlsOf(recorded, evidenceOf(recorded), tokens, 0);
  const { calls } = recorded;
  const requests = calls.map((end) => tokens.slice(0, end).reduce((sum, each) => sum + each, 0));
  const raw = requests.reduce((sum, each) => sum + each, 0);
  const fixed = (tokens[0] ?? 0) + (tokens[1] ?? 0);
  // The smallest control keeps two steps: what stands at one call besides what is fixed has moved at the next.
  expect((lastN[0]?.cached ?? 0) * raw).toBeCloseTo(fixed * (calls.length - 1), 5);
});

test('a curve is linear between its points, from nothing to everything', () => {
  const curve = [
    { share: 0.2, recall: 0.5 },
    { share: 0.6, recall: 0.7 },
  ];
  expect([0, 0.1, 0.2, 0.4, 0.6, 0.8, 1].map((share) => recallAt(curve, share))).toEqual(
    [0, 0.25, 0.5, 0.6, 0.7, 0.85, 1].map((recall) => expect.closeTo(recall) as number),
  );
});

test('events and requests are counted alike', () => {
  const recorded = session();
  const count = textCounter();
  const tokens = eventTokens(recorded, count).reduce((sum, each) => sum + each, 0);
  expect(prefixMeter(count, 0)(View.fromEvents(recorded.events).toMessages()).tokens).toBe(tokens);
});

test('a request that begins as the last one did reads that part from the cache', () => {
  const recorded = session();
  const measure = prefixMeter(textCounter(), 100);
  const sizeAt = (end: number) => measure(View.fromEvents(recorded.events.slice(0, end)).toMessages());
  const first = sizeAt(4);
  expect(first).toMatchObject({ cached: 0, rewrites: false });
  expect(sizeAt(8)).toMatchObject({ cached: first.tokens, rewrites: false });
  expect(sizeAt(4)).toMatchObject({ cached: first.tokens, rewrites: true });
});
