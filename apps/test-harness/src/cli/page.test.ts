import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { harness } from '../../test-support/harness.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-page-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('the page is written where it is asked for, and its address is printed', async () => {
  const file = join(folder, 'replay.html');
  const { code, stdout } = await harness('page', '--output', file);
  expect(code).toBe(0);
  expect(stdout).toContain(pathToFileURL(file).href);
  expect(await readFile(file, 'utf8')).toContain('id="program"');
});

test('a place that cannot be written to is status 2, with the option that names another', async () => {
  const { code, stderr } = await harness('page', '--output', join(folder, 'missing', 'replay.html'));
  expect(code).toBe(2);
  expect(stderr).toContain('--output');
});
