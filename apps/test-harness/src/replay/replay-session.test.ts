import { createEvent } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { condensation } from '@palimpsest/view';
import type { Condenser, View } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { priceRows } from '../measure/money.js';
import { sessionReplayer } from './session-replayer.js';

const none: Condenser = { name: 'none', condense: (view) => view };

function replayed(events: readonly Event[], condenser: Condenser) {
  const replayer = sessionReplayer(events, { prices: priceRows, timeoutMs: 200 });
  return replayer.replay({ name: condenser.name, create: () => condenser });
}

function session(steps: number) {
  const log = logBuilder();
  log.system('You repair programs.');
  log.user('Mend the parser.');
  for (let step = 0; step < steps; step++)
    log.call('read_file', { path: `src/${step}.ts` }, `line ${step} `.repeat(200));
  log.agent('The parser is mended.');
  return log.events;
}

test('without condensation every call extends the call before, and nothing is refused', async () => {
  const replay = await replayed(session(20), none);
  expect(replay).toMatchObject({
    modelCalls: 21,
    condensations: 0,
    prefixRewrites: 0,
    refusedLists: 0,
    eventsInViewAtEnd: 42,
    condenserErrors: [],
  });
  expect(replay.peakTokens).toBeGreaterThan(20 * 200);
  expect(replay.tokensSent).toBeGreaterThan(replay.peakTokens * 10);
});

test('a condensation saves tokens for the rest of the session and rewrites the prefix once', async () => {
  const halves: Condenser = {
    name: 'halves',
    condense: (view) =>
      view.events.length > 30 ? condensation({ view, start: 2, end: 22, summary: 'Ten files were read.' }) : view,
  };
  const [before, after] = [await replayed(session(20), none), await replayed(session(20), halves)];
  expect(after).toMatchObject({ condensations: 1, prefixRewrites: 1, refusedLists: 0, eventsInViewAtEnd: 23 });
  expect(after.tokensSent).toBeLessThan(before.tokensSent);
  expect(after.peakTokens).toBeLessThan(before.peakTokens);
});

test('requests that are larger than the window are counted, and the first of them say what the condenser did', async () => {
  const settings = { prices: priceRows, contextWindow: 2_000 };
  const replay = await sessionReplayer(session(20), settings).replay({ name: 'none', create: () => none });
  expect(replay.overflows).toBe(replay.tokensByCall.filter((tokens) => tokens > 2_000).length);
  expect(replay.overflows).toBeGreaterThan(5);
  expect(replay.overflowed).toHaveLength(5);
  expect(replay.overflowed[0]).toMatchObject({ did: 'nothing' });
});

test('a condenser that reads prices is told of the row that prices it', async () => {
  const told: (number | undefined)[] = [];
  const whenReadingIsDear: Condenser = {
    name: 'whenReadingIsDear',
    condense: (view, { prices }) => {
      told.push(prices?.read);
      return view.events.length > 30 && (prices?.read ?? 0) >= 0.1
        ? condensation({ view, start: 2, end: 22, summary: 'Ten files were read.' })
        : view;
    },
  };
  const [without, priced] = [await replayed(session(20), none), await replayed(session(20), whenReadingIsDear)];
  expect(new Set(told)).toEqual(new Set([0.05, 0.1, 0.025, 1]));
  expect(priced.condensations).toBe(0);
  for (const [row, { prices, input }] of priced.bills.entries()) {
    const before = without.bills[row]?.input;
    if (prices === 'r = 0.1' || prices === 'no cache') expect(input).not.toBe(before);
    else expect(input).toBe(before);
  }
});

test('a condenser that reads no prices is replayed once', async () => {
  let asked = 0;
  const counting: Condenser = {
    name: 'counting',
    condense: (view) => {
      asked++;
      return view;
    },
  };
  await replayed(session(5), counting);
  expect(asked).toBe(6);
});

test('a condenser that fails is reported and the view is sent as it was', async () => {
  const failing: Condenser = {
    name: 'failing',
    condense: () => {
      throw new Error('no model');
    },
  };
  const replay = await replayed(session(3), failing);
  expect(replay.condenserErrors).toHaveLength(4);
  expect(replay.condenserErrors[0]).toEqual({ modelCall: 0, message: 'no model' });
  expect(replay.tokensSent).toBe((await replayed(session(3), none)).tokensSent);
});

test('a condenser that never answers is an error, and is asked no more', async () => {
  let asked = 0;
  const hanging: Condenser = {
    name: 'hanging',
    condense: () => {
      asked++;
      return new Promise(() => undefined);
    },
  };
  const replay = await replayed(session(3), hanging);
  expect(asked).toBe(1);
  expect(replay).toMatchObject({ modelCalls: 4, eventsInViewAtEnd: 8 });
  expect(replay.condenserErrors).toHaveLength(1);
  expect(replay.condenserErrors[0]?.message).toContain('did not answer within 200 ms');
});

test('a condensation that an agent would refuse is reported, and the view is sent as it was', async () => {
  const careless: Condenser = {
    name: 'careless',
    condense: (view) =>
      createEvent('condensation', { forgottenEventIds: [...view.events].map(({ id }) => id), summary: 'All is done.' }),
  };
  const replay = await replayed(session(3), careless);
  expect(replay).toMatchObject({ condensations: 0, prefixRewrites: 0, eventsInViewAtEnd: 8 });
  expect(replay.condenserErrors).toHaveLength(4);
  expect(replay.condenserErrors[0]).toMatchObject({
    modelCall: 0,
    message: expect.stringContaining('protected') as string,
  });
});

test('a view that a provider would refuse is counted, with the rule that it breaks', async () => {
  // What a condenser without our view could do: drop a result and keep its call.
  const careless: Condenser = {
    name: 'careless',
    condense: (view) => {
      const withoutResults = view.toMessages().filter(({ role }) => role !== 'tool');
      return new Proxy(view, {
        get: (target, key) => {
          if (key === 'toMessages') return () => withoutResults;
          const value: unknown = Reflect.get(target, key, target);
          return typeof value === 'function' ? (value as (...rest: unknown[]) => unknown).bind(target) : value;
        },
      }) satisfies View;
    },
  };
  const replay = await replayed(session(3), careless);
  expect(replay.refusedLists).toBe(3);
  expect(new Set(replay.refusals.map(({ rule }) => rule))).toEqual(new Set(['A5', 'B1', 'C7']));
});
