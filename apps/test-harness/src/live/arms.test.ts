import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadCondenser } from '@palimpsest/condensers/config';
import { expect, onTestFinished, test } from 'vitest';
import { armsOf, condenserOf } from './arms.js';

test('arms are presets, a size, another proxy, and tables of a file', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'palimpsest-arms-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = path.join(folder, 'arms.toml');
  await writeFile(
    file,
    '[[arm]]\nname = "own"\nagent = "agent --compact"\n\n[[arm]]\nname = "mine"\nconfig = "c.toml"\n',
  );
  expect(await armsOf(['none', 'cheapest', 'truncation:9000', 'other=http://127.0.0.1:1/v1', file])).toEqual([
    { name: 'none' },
    { name: 'cheapest', preset: 'cheapest' },
    { name: 'truncation', truncateTo: 9_000 },
    { name: 'other', upstream: 'http://127.0.0.1:1/v1' },
    { name: 'own', agent: 'agent --compact' },
    { name: 'mine', config: path.join(folder, 'c.toml') },
  ]);
});

test.each([
  [['nothing'], /'nothing' is no arm/],
  [['none', 'none'], /two arms have the name 'none'/],
  [['other=nowhere'], /is no arm/],
  [['nowhere.toml'], /cannot be read/],
])('%j is refused', async (texts, reason) => {
  await expect(armsOf(texts)).rejects.toThrow(reason);
});

test('an arm without a preset has a condenser that only measures, or truncates', async () => {
  const nameOf = async (arm: Parameters<typeof condenserOf>[0]) =>
    (await loadCondenser(JSON.stringify(condenserOf(arm)))).name;
  expect(await nameOf({ name: 'none' })).toBe('noOp');
  expect(await nameOf({ name: 'truncation', truncateTo: 9_000 })).toBe('amortizedForgetting');
  expect(condenserOf({ name: 'cheapest', preset: 'cheapest' })).toBeUndefined();
});
