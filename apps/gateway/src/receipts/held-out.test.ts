import { expect, it } from 'vitest';
import { receipt } from '../../test-support/receipt.js';
import { heldOutOf } from './held-out.js';
import { heldOutText } from './phrases.js';
import type { Receipt } from './receipt.js';

/** Numbers from 0 to 1, the same for a seed. @see Park and Miller, "Random number generators: good ones are hard to find" (1988) */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Receipts of sessions of one request each. Every tenth is held out; the others save so much. */
function sessions(count: number, saving: number, random: () => number): readonly Receipt[] {
  return Array.from({ length: count }, (_, index) => {
    const isHeldOut = index % 10 === 0;
    const normal = Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
    const size = 1e6 * Math.exp(0.835 * normal) * (isHeldOut ? 1 : 1 - saving);
    return drawn(`${index}`, isHeldOut, { counted: [Math.round(size), 0, 0] });
  });
}

function drawn(session: string, isHeldOut: boolean, fields: Parameters<typeof receipt>[0] = {}): Receipt {
  return receipt({ conversation: session, holdOut: { isHeldOut, session }, counted: [1e6, 0, 0], ...fields });
}

it('holds the true saving in 93 to 97 % of 1,000 experiments, and knows of none where none is', () => {
  const random = randomNumbers(7);
  let [covered, known] = [0, 0];
  for (let experiment = 0; experiment < 1_000; experiment++) {
    const { saving } = heldOutOf(sessions(200, 0.25, random)) ?? {};
    if (saving !== undefined && saving.low <= 0.25 && 0.25 <= saving.high) covered++;
    if (heldOutOf(sessions(200, 0, random))?.isKnown === true) known++;
  }
  expect(covered).toBeGreaterThan(930);
  expect(covered).toBeLessThan(970);
  expect(known).toBeLessThan(70);
});

it('needs 734 sessions for a quarter, with a tenth of them held out, and then knows in four of five', () => {
  const random = randomNumbers(11);
  let known = 0;
  const needed: number[] = [];
  for (let experiment = 0; experiment < 500; experiment++) {
    const heldOut = heldOutOf(sessions(730, 0.25, random));
    if (heldOut?.isKnown === true) known++;
    needed.push(heldOut?.sessionsNeeded ?? 0);
  }
  expect(known / 500).toBeGreaterThan(0.76);
  expect(known / 500).toBeLessThan(0.84);
  const mean = needed.reduce((sum, sessionsNeeded) => sum + sessionsNeeded, 0) / needed.length;
  expect(Math.abs(mean - 734)).toBeLessThan(10);
});

it('says that nothing is known until the interval lies on one side of zero', () => {
  const random = randomNumbers(3);
  expect(heldOutText(heldOutOf(sessions(20, 0.25, random))!)).toBe(
    'Held out: 2 of 20 sessions. What is saved is not known yet.',
  );
  expect(heldOutText(heldOutOf(sessions(100, 0.25, random))!)).toMatch(
    /^Held out: 10 of 100 sessions\. What is saved is not known yet: between -\d+ and \d+ % of a typical session\. Some \d{3} sessions would show a quarter\.$/,
  );
  expect(heldOutText(heldOutOf(sessions(2_000, 0.3, random))!)).toMatch(
    /^Held out: 200 of 2000 sessions\. A typical session costs \d\d % less than they do \(95 % interval: \d\d to \d\d %\)\.$/,
  );
  expect(heldOutText(heldOutOf(sessions(2_000, -0.4, random))!)).toMatch(
    /A typical session costs \d\d % more than they do \(95 % interval: \d\d to \d\d %\)\.$/,
  );
});

it('sums a session with its sub-agents, and leaves out what was not drawn whole or has no price', () => {
  expect(heldOutOf([receipt()])).toBeUndefined();
  const alike = Array.from({ length: 20 }, (_, index) => drawn(`${index}`, index < 10));
  expect(heldOutOf(alike)).toEqual({ sessions: 20, heldOut: 10, isKnown: false });
  const whole = drawn('a', true);
  const child = drawn('b', true, { holdOut: { isHeldOut: true, session: 'a' } });
  const unpriced = drawn('c', false, { prices: undefined });
  const changed = [drawn('d', false), drawn('d', true)];
  const begunBefore = [receipt({ conversation: 'e' }), drawn('e', false)];
  const failed = drawn('a', true, { status: 529, counted: undefined });
  const found = heldOutOf([whole, child, failed, unpriced, ...changed, ...begunBefore]);
  expect(found).toEqual({ sessions: 1, heldOut: 1, isKnown: false });
});
