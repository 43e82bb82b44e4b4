import { parseEvent } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import type { LogBuilder } from '@palimpsest/events/testing';
import { View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { ledgerOf } from '../priced/ledger.js';
import { rereadsIn, rereadsOf } from './rereads.js';

const prices = { read: 0.1, write: 1.25, output: 5 };

/** The lines of a file, each its own. */
const file = (name: string, from = 0, to = 20): string =>
  Array.from(
    { length: to - from },
    (_, line) => `const ${name}${from + line} = readPart(${from + line}, '${name}');`,
  ).join('\n');

/** A log that has read two files, and has forgotten the first of them. */
function forgetful(): LogBuilder {
  const log = logBuilder();
  log.user('Compare the files.');
  log.call('read_file', { path: 'a.ts' }, file('a'));
  log.call('read_file', { path: 'b.ts' }, file('b'));
  log.condensation(
    log.events.slice(1, 3).map(({ id }) => id),
    { summary: 'a.ts was read.', summaryOffset: 1 },
  );
  return log;
}

const of = (log: LogBuilder) => rereadsOf(View.fromEvents(log.events), { fixedTokens: 1_000 });
const none = { calls: 0, tokens: 0, requestTokens: 0, outputTokens: 0 };

test('text that comes back by another command is a re-read: its request and its words are booked, its result is in no other bill', () => {
  const log = forgetful();
  log.call('bash', { command: 'sed -n 1,12p a.ts' }, file('a', 0, 12));
  const view = View.fromEvents(log.events);
  const result = view.events.at(-1) as Event & { type: 'observation' };
  const call = view.events.at(-2) as Event & { type: 'action' };
  const size = view.tokensOf(result);
  const request = 1_000 + view.tokens(0, view.events.length - 2);
  expect(of(log)).toEqual({
    calls: 1,
    tokens: size,
    requestTokens: request,
    outputTokens: view.tokensOf(call),
  });
  const { rereadTokens, bill, rawBill, hidden } = ledgerOf(view, prices, 1_000);
  expect(rereadTokens).toBe(size);
  // Doing nothing would not have the result a second time: it is paid in one of the bills alone.
  const before = ledgerOf(View.fromEvents(log.events.slice(0, -2)), prices, 1_000);
  // The request was made for it alone, and the call was written for it.
  expect(rawBill).toBeCloseTo(before.rawBill, 6);
  expect(bill).toBeGreaterThan(before.bill + 0.1 * request);
  expect(hidden).toBeCloseTo(Math.max(0, before.hidden - size - view.tokensOf(call)), 6);
});

test.each<readonly [string, (log: LogBuilder) => unknown]>([
  ['a file that was never hidden', (log) => log.call('read_file', { path: 'c.ts' }, file('c'))],
  ['a file whose first result still stands in view', (log) => log.call('read_file', { path: 'b.ts' }, file('b'))],
  [
    'a result of which most is new',
    (log) => log.call('bash', { command: 'cat a.ts c.ts' }, `${file('a', 0, 9)}\n${file('c', 0, 11)}`),
  ],
  ['two lines', (log) => log.call('bash', { command: 'head -2 a.ts' }, file('a', 0, 2))],
  [
    'a call that writes',
    (log) => log.call('edit', { path: 'a.ts', oldText: 'x', newText: file('a', 0, 3) }, file('a')),
  ],
  ['short lines', (log) => log.call('bash', { command: 'ls' }, 'a.ts\nb.ts\nc.ts\nd.ts')],
])('%s is no re-read', (_, act) => {
  const log = forgetful();
  act(log);
  expect(of(log)).toEqual(none);
});

test('an answer that refers to a hidden result counts where quoted results do, and none that refers to one in view', () => {
  const log = forgetful();
  log.call('read_file', { path: 'a.ts' }, '[File a.ts unchanged since last read in this session.]');
  log.call('read_file', { path: 'c.ts' }, '[File c.ts unchanged since last read in this session.]');
  const view = View.fromEvents(log.events);
  expect(rereadsIn(view, {})).toEqual([]);
  expect(rereadsIn(view, { quoted: true }).map(({ index, isAlone }) => [view.events[index]?.id, isAlone])).toEqual([
    [view.events.at(-3)?.id, true],
  ]);
});

/** Returns what a search prints of a file. */
const found = (name: string, from: number, to: number): string =>
  file(name, from, to)
    .split('\n')
    .map((line, index) => `src/${name}.ts:${from + index + 1}:${line}`)
    .join('\n');

test('text that comes back by a search is a re-read, and not when the search is made again', () => {
  const log = forgetful();
  log.call('search', { text: 'readPart' }, found('a', 0, 12));
  expect(of(log).calls).toBe(1);
  log.call('search', { text: 'readPart' }, found('a', 0, 12));
  expect(of(log).calls).toBe(1);
  log.call('search', { text: 'readPart' }, found('b', 0, 12));
  expect(of(log).calls).toBe(1);
});

test.each([
  ['a result of which the summary shows all but three lines', 17, 1],
  ['no result of which it shows all but two', 18, 0],
])('a re-read is %s', (_name, shown, calls) => {
  const log = logBuilder();
  log.user('Compare the files.');
  log.call('read_file', { path: 'a.ts' }, file('a'));
  log.condensation(
    log.events.slice(1, 3).map(({ id }) => id),
    { summary: `a.ts was read:\n${file('a', 0, shown)}`, summaryOffset: 1 },
  );
  log.call('read_file', { path: 'a.ts' }, file('a'));
  expect(of(log).calls).toBe(calls);
  // Quotes are no whole text: whoever asks for those, too, gets both.
  expect(rereadsIn(View.fromEvents(log.events), { quoted: true })).toHaveLength(1);
});

test('a second reading of what has come back is a habit, until it is hidden again', () => {
  const log = forgetful();
  log.call('read_file', { path: 'a.ts' }, file('a'));
  const once = of(log);
  log.call('read_file', { path: 'a.ts' }, file('a'));
  expect(of(log)).toEqual(once);
  log.condensation(
    log.events.slice(-4).map(({ id }) => id),
    { summary: 'a.ts was read again.', summaryOffset: 2 },
  );
  log.call('read_file', { path: 'a.ts' }, file('a'));
  expect(of(log).tokens).toBeGreaterThan(0);
});

test('a revert makes what it brings back no re-read', () => {
  const log = forgetful();
  const condensation = log.events.at(-1) as Event & { type: 'condensation' };
  log.revert(condensation);
  log.call('read_file', { path: 'a.ts' }, file('a'));
  expect(of(log)).toEqual(none);
});

test('of parallel calls the request is booked where all of them bring text back', () => {
  const both = (second: string): number => {
    const log = forgetful();
    log.batch([
      { name: 'read_file', input: { path: 'a.ts' }, result: file('a', 0, 10) },
      { name: 'read_file', input: { path: 'x.ts' }, result: second },
    ]);
    return of(log).requestTokens;
  };
  expect(both(file('a', 10, 20))).toBeGreaterThan(1_000);
  expect(both(file('c', 10, 20))).toBe(0);
});

test('the ledger has it, alike after a restart, and a condensation states it', () => {
  const log = forgetful();
  log.call('read_file', { path: 'a.ts' }, file('a'));
  const ledger = ledgerOf(View.fromEvents(log.events), prices, 1_000);
  expect(ledger.rereadTokens).toBeGreaterThan(100);
  const again = log.events.map((event) => parseEvent(JSON.parse(JSON.stringify(event))));
  expect(ledgerOf(View.fromEvents(again), prices, 1_000)).toEqual(ledger);
  log.condensation([log.events.at(-1)?.id ?? '', log.events.at(-2)?.id ?? ''], { metadata: { ledger } });
  const after = ledgerOf(View.fromEvents(log.events), prices, 1_000);
  expect(after.rereadTokens).toBe(ledger.rereadTokens);
});

test('what was masked when a result came does not stand, and what was masked later does, also after a restart', () => {
  const log = forgetful();
  const second = log.events.filter(({ type }) => type === 'observation')[1] as Event;
  log.condensation([], { redactions: [{ eventId: second.id, text: '[masked]' }] });
  log.call('read_file', { path: 'b.ts' }, file('b'));
  const once = of(log);
  expect(once.tokens).toBeGreaterThan(0);
  log.call('read_file', { path: 'c.ts' }, file('c'));
  log.call('read_file', { path: 'c.ts' }, file('c'));
  expect(of(log)).toEqual(once);
  const third = log.events.filter(({ type }) => type === 'observation').at(-2) as Event;
  log.condensation([second.id], { redactions: [{ eventId: third.id, text: '[masked]' }] });
  const again = log.events.map((event) => parseEvent(JSON.parse(JSON.stringify(event))));
  expect(rereadsOf(View.fromEvents(again), { fixedTokens: 1_000 }).tokens).toBe(once.tokens);
  expect(of(log).tokens).toBe(once.tokens);
});
