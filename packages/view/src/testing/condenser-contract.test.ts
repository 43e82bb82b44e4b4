import { logBuilder } from '@palimpsest/events/testing';
import { describe, expect, test } from 'vitest';
import { condenserContract } from './condenser-contract.js';
import type { CondenserContractOptions } from './condenser-contract.js';
import { mutants } from './mutant-condensers.js';
import { forgetMiddle, mustAct, soundCondensers } from './sample-condensers.js';

/** `npm test` takes one seed for the samples, CI's thorough run those of the contract: `.ci/run`. */
const seeds = process.env['PALIMPSEST_THOROUGH'] === 'true' ? undefined : [3];

/** A log on which every sample acts: long, with batches, long results and a call that still waits. */
function longLog() {
  const log = logBuilder({ idPrefix: 'long-' });
  log.system();
  log.user('Fix all the tests.');
  for (let turn = 0; turn < 25; turn++) {
    if (turn % 5 === 4) {
      log.batch([
        { name: 'read', result: 'A'.repeat(400) },
        { name: 'read', result: 'B'.repeat(400) },
      ]);
    } else log.call('run', { command: 'npm test' }, 'x'.repeat(400));
    if (turn === 12) log.agent('Half of them pass.');
    if (turn === 12) log.user('Go on.');
  }
  log.action('run');
  return log.events;
}

describe.each(soundCondensers)('a condenser that $name', (condenser) => {
  condenserContract({ test, seeds, create: () => condenser, actsOn: longLog() });
});

describe('a condenser whose model can hang', () => {
  condenserContract({
    test,
    seeds,
    actsOn: longLog(),
    create: () => ({
      name: 'x',
      handlesCondensationRequests: true,
      condense: (view) => (mustAct(view) ? forgetMiddle(view, 'S') : view),
    }),
    createHanging: () => ({
      name: 'x',
      condense: (_view, { signal }) =>
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error))),
    }),
  });
});

describe('the contract catches', () => {
  test.each(mutants)('a condenser that $name', async ({ create, createHanging, caughtBy }) => {
    const options = { create, actsOn: longLog(), seeds: [1, 2, 3] };
    const failures = await failuresOf(createHanging === undefined ? options : { ...options, createHanging }, caughtBy);
    expect(failures).toHaveLength(1);
    expect(failures[0]?.message).toMatch(/^on /);
  });
});

test('the test names state the seeds, and a failure names the log', async () => {
  const [failure] = await failuresOf({
    create: () => ({ name: 'x', condense: () => undefined as never }),
    actsOn: longLog(),
    seeds: [7],
  });
  expect(failure?.name).toMatch(/\(seeds 7\)$/);
  expect(failure?.message).toMatch(/^on the log made for it \(prefix-bound\): returned undefined/);
});

test('a result that is no object is named by every rule that meets it', async () => {
  const failuresFor = (result: unknown) =>
    failuresOf({ create: () => ({ name: 'x', condense: () => result as never }), actsOn: longLog(), seeds: [7] });
  for (const [result, what] of [
    [undefined, 'returned undefined'],
    [null, 'returned null'],
  ] as const) {
    const failures = await failuresFor(result);
    expect(failures.length).toBeGreaterThan(10);
    expect(failures.map(({ message }) => message).filter((one) => /Cannot|not a function/.test(one))).toEqual([]);
    expect(failures[0]?.message).toContain(what);
  }
});

test('an empty log to act on is named', async () => {
  const [condenser] = soundCondensers;
  const failures = await failuresOf({ create: () => condenser as never, actsOn: [], seeds: [7] }, 'acts on');
  expect(failures.map(({ message }) => message)).toEqual([
    'on the log made for it (prefix-bound): `actsOn` is empty; pass a log on which the condenser must act',
  ]);
});

/** Returns what fails of the rules, or of one of them. */
async function failuresOf(options: Omit<CondenserContractOptions, 'test'>, rule = '') {
  const tests: { readonly name: string; readonly run: () => Promise<void> }[] = [];
  condenserContract({ ...options, test: (name, run) => tests.push({ name, run }) });
  const failures: { readonly name: string; readonly message: string }[] = [];
  for (const { name, run } of tests.filter((one) => one.name.startsWith(rule))) {
    await run().catch((error: Error) => failures.push({ name, message: error.message }));
  }
  return failures;
}
