import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readReceipts, sumOfReceipts } from './receipts.js';

const usage = { uncachedInputTokens: 1_000, cacheReadTokens: 10_000, cacheWriteTokens: 2_000, outputTokens: 500 };
const prices = { input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15 };

async function receiptFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'receipts-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

test('receipts of a folder are summed; a torn line and a failed request are left out', async () => {
  const first = { status: 200, usage, prices, rereads: { results: 2, tokens: 800.4 }, way: 'condensed' };
  const folder = await receiptFolder({
    'a-1.jsonl': `${JSON.stringify(first)}\n{"status":200,"usa`,
    'b-2.jsonl': `${JSON.stringify({ status: 200, usage, prices })}\n${JSON.stringify({ status: 529 })}\n`,
    'notes.txt': 'no receipts',
  });
  const spent = sumOfReceipts(await readReceipts(folder));
  expect(spent).toMatchObject({ steps: 2, rereads: { results: 2, tokens: 800 } });
  expect(spent.tokens).toEqual({ uncachedInput: 2_000, cacheRead: 20_000, cacheWrite: 4_000, output: 1_000 });
  expect(spent.costUsd).toBeCloseTo(2 * (0.003 + 0.003 + 0.0075 + 0.0075), 10);
  expect(await readReceipts(join(folder, 'b-2.jsonl'))).toHaveLength(2);
});

test('a cost that is not wholly known is not known', () => {
  const known = { status: 200, usage, prices };
  expect(sumOfReceipts([known]).costUsd).toBeGreaterThan(0);
  expect(sumOfReceipts([known, { status: 200, usage }])).not.toHaveProperty('costUsd');
  expect(sumOfReceipts([known, { status: 200, prices }])).not.toHaveProperty('costUsd');
});
