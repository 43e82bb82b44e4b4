import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { logFiles } from '../import/read-sessions.js';
import { duration, timeLeft } from './progress.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'time-left-'));
  for (const [name, size] of [
    ['a', 100],
    ['b', 100],
    ['c', 600],
  ] as const) {
    await writeFile(join(folder, `${name}.json`), 'x'.repeat(size));
  }
});
afterAll(() => rm(folder, { recursive: true }));

test('what is to come takes as long, by its size, as what was computed', async () => {
  let time = 0;
  const { files } = await logFiles(folder);
  const left = await timeLeft([...files, { file: join(folder, 'gone'), name: 'gone' }], () => time);
  expect(left.estimate()).toBeUndefined();
  left.atFile(join(folder, 'a.json'));
  left.add({ size: 300, wasStored: false });
  time = 1_000;
  left.atFile(join(folder, 'b.json'));
  // 100 of 800 are done in a second.
  expect(left.estimate()).toBe(7_000);
  // What was stored took no time.
  left.add({ size: 300, wasStored: true });
  left.atFile(join(folder, 'c.json'));
  expect(left.estimate()).toBe(6_000);
});

test('times are for people', () => {
  expect([400, 59_001, 100_000, 600_000].map(duration)).toEqual(['1 s', '60 s', '2 min', '10 min']);
});
