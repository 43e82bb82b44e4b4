import { condenserByName } from '@palimpsest/condensers/config';
import { createEvent } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { condensation } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { sessionReplayer } from '../replay/session-replayer.js';
import { priceRows } from './money.js';
import { recordedSession } from './recorded-session.js';

const path = 'src/tokens/readToken.ts';

/** A listing names a file; other calls follow; then the model opens that file, twice. */
function log(words = 20) {
  const built = logBuilder();
  built.user('Mend the tokenizer.');
  built.call('list', {}, `${path} ${'and some more text '.repeat(50)}`);
  for (let step = 0; step < 6; step++) built.call('think', { step }, 'a result of some length '.repeat(words));
  built.call('read', { path }, 'text');
  for (let step = 6; step < 12; step++) built.call('think', { step }, 'a result of some length '.repeat(words));
  built.call('write', { path }, 'done');
  return built.events;
}

function replayed(condenser: Condenser, events = log()) {
  return sessionReplayer(events, { prices: priceRows }).replay({ name: condenser.name, create: () => condenser });
}

/** Forgets the listing before the model opens the file, with some words in its place. */
const forgetting = (summary?: string): Condenser => ({
  name: 'forgetting',
  condense: (view) =>
    view.events.length === 9 && view.condensations.length === 0
      ? condensation({ view, start: 1, end: 5, ...(summary === undefined ? {} : { summary }) })
      : view,
});

test('who keeps everything remembers everything and saves nothing', async () => {
  const kept = await replayed({ name: 'all', condense: (view) => view });
  expect(kept.memory.all.part).toBe(kept.memory.all.whole);
  expect(kept.memory.all.whole).toBeGreaterThan(0);
  expect(kept).toMatchObject({ faults: 0, prefixRewrites: 0 });
  for (const { input, withRereads } of kept.bills) expect(input).toBe(withRereads);
});

test('what is forgotten before it is used is a fault, priced as a call that reads it again', async () => {
  const lost = await replayed(forgetting());
  expect(lost.memory.all.part).toBeLessThan(lost.memory.all.whole);
  // The later call finds it in the arguments of the earlier one.
  expect(lost.memory.byKind.identifier).toEqual({ part: 1, whole: 2 });
  expect(lost).toMatchObject({ faults: 1, condensations: 1, prefixRewrites: 1 });
  for (const { input, withRereads } of lost.bills) expect(withRereads).toBeGreaterThan(input);
});

test('who copies the name into a summary is shown to have it from there, and pays for its tokens', async () => {
  const [silent, copied] = [await replayed(forgetting()), await replayed(forgetting(`Seen: ${path}`))];
  expect(copied.memory.all.part).toBe(copied.memory.all.whole);
  // The later call finds it in the arguments of the earlier one.
  expect(copied.memory.onlyInStubs.part).toBe(1);
  expect(copied.tokensSent).toBeGreaterThan(silent.tokensSent);
});

test('a condenser is shown only what stands before the call', async () => {
  const lengths: number[] = [];
  const events = log();
  await replayed({
    name: 'curious',
    condense: (view) => {
      lengths.push(view.events.length);
      expect(view.original(events.at(-1)?.id ?? '')).toBeUndefined();
      return view;
    },
  });
  expect(lengths).toEqual(Array.from({ length: 15 }, (_, call) => 1 + 2 * call));
});

test('recorded usage and decisions of the recording agent do not reach the condenser', async () => {
  const built = logBuilder();
  built.user('Go on.');
  built.usage();
  built.request();
  built.call('read', {}, 'text');
  built.condensation([]);
  const session = recordedSession(built.events);
  expect(session.events.map(({ type }) => type)).toEqual(['message', 'action', 'observation']);
  expect(session.calls).toEqual([1]);
});

/** Hides every result before the request that would have shown it. */
const neverShows: Condenser = {
  name: 'never shows',
  condense: (view) => {
    const newest = view.events.at(view.events.length - 1);
    return newest?.type === 'observation' && newest.redacted !== true
      ? createEvent('condensation', { forgottenEventIds: [], redactions: [{ eventId: newest.id, text: '(hidden)' }] })
      : view;
  },
};

test('who hides results before they were sent looks cheap, and is shown to have hidden what nobody read', async () => {
  const all = await replayed({ name: 'all', condense: (view) => view }, log(400));
  const cheat = await replayed(neverShows, log(400));
  expect(cheat.bills[0]?.input).toBeLessThan((all.bills[0]?.input ?? 0) * 0.7);
  expect([all.neverShown, cheat.neverShown]).toEqual([0, 14]);
  expect(cheat.faults).toBe(1);
});

test('who masks what was sent is not taken for one that hides it', async () => {
  const { condensations, neverShown } = await replayed(condenserByName('observationMasking'), log(4_000));
  expect(condensations).toBeGreaterThan(0);
  expect(neverShown).toBe(0);
});
