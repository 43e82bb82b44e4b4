import { addressOf } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { condensation, View } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { searchHidden } from './search-hidden.js';

function condensedLog() {
  const log = logBuilder();
  log.user('Find the port.');
  const one = log.call('read_file', { path: 'server.ts' }, 'first line\nconst port = 8080;\nlast line');
  const two = log.call('read_file', { path: 'client.ts' }, 'connects to port 9090');
  log.call('read_file', { path: 'new.ts' }, 'the port of today is 7070');
  const forgetting = condensation({
    view: View.fromEvents(log.events),
    start: 1,
    end: 5,
    summary: 'It read two files.',
  });
  log.add(forgetting);
  return { log, one, two, forgetting };
}

test('finds what is hidden by words, the best first, with the lines that hold them; what is seen is counted', async () => {
  const { log, one } = condensedLog();
  const { hidden, found, seen } = await searchHidden(log.events, 'port 8080');
  expect(found.map(({ event }) => event.id)[0]).toBe(one.result.id);
  expect(found[0]).toMatchObject({
    address: addressOf(one.result.id),
    reason: 'forgotten',
    excerpt: ['  2| const port = 8080;'],
    text: 'first line\nconst port = 8080;\nlast line',
  });
  expect(found[0]?.description).toContain('result of read_file');
  expect(found).toHaveLength(2);
  expect(hidden).toBe(2);
  expect(seen).toBe(2);
  expect(await searchHidden(log.events, 'zebra')).toMatchObject({ found: [], seen: 0, hidden: 2 });
});

test('an address finds its text, and a summary that another one replaced by its condensation', async () => {
  const { log, two, forgetting } = condensedLog();
  expect((await searchHidden(log.events, addressOf(two.result.id))).found.map(({ event }) => event.id)).toEqual([
    two.result.id,
  ]);
  log.call('read_file', { path: 'x.ts' }, 'x');
  log.call('read_file', { path: 'y.ts' }, 'y');
  log.add(condensation({ view: View.fromEvents(log.events), start: 1, end: 4, summary: 'It read three files.' }));
  const { found } = await searchHidden(log.events, addressOf(forgetting.id));
  expect(found).toMatchObject([{ event: { type: 'condensation' }, text: 'It read two files.' }]);
});

test('what a condenser hides in the view alone is hidden, too', async () => {
  const log = logBuilder();
  log.user('Go.');
  const { action, result } = log.call('read_file', { path: 'a' }, 'secret harbour');
  const condenser: Condenser = { name: 'c', condense: (view) => view.without(new Set([action.id, result.id])) };
  expect((await searchHidden(log.events, 'harbour')).found).toEqual([]);
  expect((await searchHidden(log.events, 'harbour', { condenser })).found).toMatchObject([{ reason: 'forgotten' }]);
});
