import { logBuilder } from '@palimpsest/events/testing';
import { expect, test } from 'vitest';
import { cachePricesOf, costOfRewriting, isCacheCold, defaultPrices, View } from '../index.js';

const cacheLifeMs = 300_000;
/** Events of a builder are a second apart. */
const start = Date.parse('2026-01-01T00:00:00Z');
const at = (ms: number) => ({ timestamp: new Date(start + ms).toISOString() });

/** A log whose model has answered at the second second. */
function answered() {
  const log = logBuilder();
  log.user('Go.', at(0));
  log.agent('Gone.', at(1_000));
  return log;
}

test('the cache is cold when the newest event is older than its life after the last answer', () => {
  const log = answered();
  expect(isCacheCold(View.fromEvents(log.events), { cacheLifeMs })).toBe(false);
  log.user('And now?', at(301_000));
  expect(isCacheCold(View.fromEvents(log.events), { cacheLifeMs })).toBe(false);
  log.user('Well?', at(301_001));
  const view = View.fromEvents(log.events);
  expect(isCacheCold(view, { cacheLifeMs })).toBe(true);
  expect(isCacheCold(view, {})).toBe(false);
});

test('an event that no model reads counts: a conversation that is taken up again begins with one', () => {
  const log = answered();
  const taken = { ...log.create('conversation-state-update', { key: 'status', value: 'running' }), ...at(400_000) };
  expect(isCacheCold(View.fromEvents([...log.events, taken]), { cacheLifeMs })).toBe(true);
  // A replay may give events of its own any time.
  const replayed = { ...taken, timestamp: new Date(0).toISOString() };
  expect(isCacheCold(View.fromEvents([...log.events, replayed]), { cacheLifeMs })).toBe(false);
});

test('a time that the host states counts instead', () => {
  const view = View.fromEvents(answered().events);
  expect(isCacheCold(view, { cacheLifeMs, now: at(301_001).timestamp })).toBe(true);
  expect(isCacheCold(view, { cacheLifeMs, now: at(300_000).timestamp })).toBe(false);
  expect(isCacheCold(view, { cacheLifeMs, now: 'later' })).toBe(false);
});

test('before the first answer, and without valid times, nothing is cold', () => {
  const log = logBuilder();
  log.user('Go.', at(0));
  expect(isCacheCold(View.fromEvents(log.events), { cacheLifeMs: 0 })).toBe(false);
  log.agent('Gone.', { timestamp: 'yesterday' });
  log.user('And now?', at(900_000));
  expect(isCacheCold(View.fromEvents(log.events), { cacheLifeMs })).toBe(false);
});

test.each([
  [undefined, defaultPrices],
  [
    { read: 0.1, write: 1 },
    { read: 0.1, write: 1, output: 5 },
  ],
  [
    { read: NaN, write: -1, output: 8 },
    { ...defaultPrices, output: 8 },
  ],
])('prices %j are %j', (prices, expected) => {
  expect(cachePricesOf({ prices })).toEqual(expected);
});

test('to write again costs what it costs more than to read, and never less than nothing', () => {
  expect(costOfRewriting(1_000, { read: 0.25, write: 1.25 })).toBe(1_000);
  expect(costOfRewriting(1_000, { read: 2, write: 1 })).toBe(0);
});
