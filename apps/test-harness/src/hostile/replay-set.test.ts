import { pricedCondenser } from '@palimpsest/condensers';
import { condensation } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { textOfEvent } from '../measure/recorded-session.js';
import { textCounter } from '../measure/tokens.js';
import { none } from '../replay/named-policy.js';
import { replaySet } from './replay-set.js';
import type { HostileResult } from './replay-set.js';
import { hostileSession, hostileSets, orders } from './sets.js';
import type { HostileSet } from './sets.js';

const steps = 24;

/** Returns the files of the steps, numbered in the order in which they are first read. */
function filesOf(set: HostileSet): readonly number[] {
  const { needs } = hostileSession(set, steps);
  const files = [...new Set(needs)];
  return needs.map((result) => files.indexOf(result));
}

function replayed(condenser: Condenser, set: HostileSet, length = steps): Promise<readonly HostileResult[]> {
  return replaySet(set, length, [{ name: condenser.name, create: () => condenser }]);
}

test('every order asks for the files as it says', () => {
  const asked = (order: HostileSet['order'], files: number) => filesOf({ order, files, fileTokens: 500 });
  expect(asked('rotation', 4)).toEqual(Array.from({ length: steps }, (_, step) => step % 4));
  expect(asked('once', 4)).toEqual(Array.from({ length: steps }, (_, step) => Math.floor(step / 6)));
  expect(asked('phases', 8)).toEqual(Array.from({ length: steps }, (_, step) => 2 * Math.floor(step / 6) + (step % 2)));
  const newest = (sequence: readonly number[]) =>
    sequence.filter((file, step) => sequence.slice(Math.max(0, step - 4), step).includes(file)).length;
  expect(newest(asked('locality', 25))).toBeGreaterThan(2 * newest(asked('random', 25)));
});

test('a session is the same each time, and its files have their size', () => {
  const count = textCounter();
  expect(new Set(hostileSets.map(({ order }) => order))).toEqual(new Set(orders));
  for (const fileTokens of [500, 10_000]) {
    const set = { order: 'random', files: 5, fileTokens } as const;
    const { events, needs } = hostileSession(set, steps);
    expect(hostileSession(set, steps)).toEqual({ events, needs });
    for (const result of new Set(needs)) {
      const size = count(textOfEvent(events[result] as (typeof events)[number]));
      expect(Math.abs(size / fileTokens - 1)).toBeLessThan(0.15);
    }
  }
});

test('doing nothing reads nothing again and costs what doing nothing costs', async () => {
  const idle = await replayed(await none.create({} as never), { order: 'rotation', files: 5, fileTokens: 500 });
  expect(idle).toHaveLength(3);
  for (const result of idle) expect(result).toMatchObject({ saved: 0, worstMoment: 0, rereads: 0 });
});

/** Keeps the task and the newest step alone. */
const forgetful: Condenser = {
  name: 'forgetful',
  condense: (view) => (view.events.length > 3 ? condensation({ view, start: 1, end: view.events.length - 2 }) : view),
};

test('who forgets everything reads a file again at every step of a rotation, and never if each is needed once', async () => {
  const [rotation] = await replayed(forgetful, { order: 'rotation', files: 4, fileTokens: 500 });
  // The first round reads; all other steps read again.
  expect(rotation?.rereads).toBe(steps - 4);
  expect(rotation?.saved).toBeLessThan(0);
  expect(rotation?.worstMoment).toBeGreaterThanOrEqual(-(rotation?.saved ?? 0));
  const [once] = await replayed(forgetful, { order: 'once', files: steps, fileTokens: 500 });
  expect(once?.rereads).toBe(0);
});

test('the default saves where files are needed once, and does not lose half where a few are needed in turn', async () => {
  const priced = pricedCondenser({ preset: 'balanced' });
  for (const { saved } of await replayed(priced, { order: 'once', files: 100, fileTokens: 2_000 }, 100))
    expect(saved).toBeGreaterThan(0.15);
  for (const { worstMoment } of await replayed(priced, { order: 'rotation', files: 5, fileTokens: 2_000 }, 100))
    expect(worstMoment).toBeLessThan(0.35);
});
