import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { NamedSource } from '../replay/named-policy.js';
import { hostileReport, hostileRows } from './report.js';

const steps = 4;

test('a row has the mean, the worst set and the worst moment', () => {
  const result = (set: string, saved: number, worstMoment: number) => ({
    policy: 'p',
    prices: 'r',
    set,
    steps,
    saved,
    worstMoment,
    rereads: 0,
  });
  expect(hostileRows([result('a', 0.4, 0.3), result('b', -0.2, 0.2)])).toEqual([
    {
      policy: 'p',
      prices: 'r',
      steps,
      mean: expect.closeTo(0.1),
      worst: -0.2,
      worstSet: 'b',
      worstMoment: 0.3,
      worstMomentSet: 'a',
    },
  ]);
});

const noOp: NamedSource = { name: 'noOp', source: { kind: 'name', name: 'noOp' } };
const masking: NamedSource = { name: 'masking', source: { kind: 'name', name: 'observationMasking' } };

test('every set is replayed at every length; what was stored is found again, under the name of this time', async () => {
  const cacheFolder = await mkdtemp(join(tmpdir(), 'hostile-'));
  onTestFinished(() => rm(cacheFolder, { recursive: true }));
  const done: string[] = [];
  const options = { lengths: [2, 3], workers: 0, cacheFolder };
  const onSession = (count: number, all: number) => void done.push(`${count}/${all}`);
  const first = await hostileReport({ ...options, policies: [noOp], onSession });
  expect([done.length, done.at(-1)]).toEqual([90, '90/90']);
  expect(first.results).toHaveLength(90 * 3);
  expect(first.rows.map((row) => [row.steps, row.prices, row.mean])).toEqual(
    [2, 3].flatMap((length) => ['r = 0.1', 'r = 0.05', 'r = 0.025'].map((prices) => [length, prices, 0])),
  );
  const stored = async () => (await readdir(cacheFolder, { recursive: true })).filter((file) => file.endsWith('.json'));
  expect(await stored()).toHaveLength(90);
  const again = await hostileReport({ ...options, policies: [{ ...noOp, name: 'idle' }, masking] });
  expect(again.results.filter(({ policy }) => policy === 'idle')).toEqual(
    first.results.map((each) => ({ ...each, policy: 'idle' })),
  );
  expect(again.results.filter(({ policy }) => policy === 'masking')).toHaveLength(90 * 3);
  expect(await stored()).toHaveLength(180);
});

test('a signal ends it between two sessions', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const onSession = (count: number): void => {
    if (count === 2) controller.abort();
  };
  const { results } = await hostileReport({ policies: [noOp], lengths: [2], workers: 0, signal, onSession });
  expect(results).toHaveLength(2 * 3);
});
