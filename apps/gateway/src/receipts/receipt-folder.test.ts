import { appendFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { receipt } from '../../test-support/receipt.js';
import { ReceiptFolder } from './receipt-folder.js';

let folder: string;
beforeEach(
  async () => void (folder = path.join(await mkdtemp(path.join(tmpdir(), 'palimpsest-receipts-')), 'receipts')),
);
afterEach(() => rm(path.dirname(folder), { recursive: true }));

const one = receipt({ counted: [1, 2, 3] });
const other = receipt({ counted: [4, 5, 6], conversation: 'fedcba987654' });
const fileOf = ({ log, conversation } = one) => path.join(folder, `${log}-${conversation}.jsonl`);

it('reads what it has written, of one conversation or of all, readable by the user alone', async () => {
  const receipts = new ReceiptFolder(folder);
  for (const each of [one, other, one]) receipts.append(each);
  expect((await receipts.read()).receipts).toHaveLength(3);
  const { receipts: read, skipped } = await new ReceiptFolder(folder).read(one.conversation);
  expect(read).toMatchObject([one, one]);
  expect(skipped).toBe(0);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await stat(fileOf())).mode & 0o777).toBe(0o600);
});

it('skips a line that a crash has torn, says so, and goes on behind it', async () => {
  new ReceiptFolder(folder).append(one);
  new ReceiptFolder(folder).append(one);
  await truncate(fileOf(), (await stat(fileOf())).size - 40);
  expect(await new ReceiptFolder(folder).read()).toMatchObject({ receipts: [one], skipped: 1 });
  new ReceiptFolder(folder).append(one);
  expect(await new ReceiptFolder(folder).read()).toMatchObject({ receipts: [one, one], skipped: 1 });
});

it.each([
  'null',
  '{}',
  '{"at":"2026-11-27"}',
  JSON.stringify({ ...one, held: '20' }),
  JSON.stringify({ ...one, at: 'yesterday' }),
  JSON.stringify({ ...one, usage: { outputTokens: 1 } }),
  JSON.stringify({ ...one, prices: { input: '<b>' } }),
  JSON.stringify({ ...one, condensations: [{}] }),
])('takes %s for no receipt', async (line) => {
  new ReceiptFolder(folder).append(one);
  await appendFile(fileOf(), `${line}\n`);
  expect(await new ReceiptFolder(folder).read()).toMatchObject({ receipts: [one], skipped: 1 });
});

it('reads nothing where nothing is, and leaves other files alone', async () => {
  expect(await new ReceiptFolder(folder).read()).toEqual({ receipts: [], skipped: 0 });
  new ReceiptFolder(folder).append(one);
  await writeFile(path.join(folder, 'notes.jsonl'), 'mine');
  new ReceiptFolder(folder).append({ ...one, conversation: '../../elsewhere' });
  expect((await new ReceiptFolder(folder).files()).map(({ path: file }) => file)).toEqual([fileOf()]);
  expect(await readFile(path.join(folder, 'notes.jsonl'), 'utf8')).toBe('mine');
});
