import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { receipt } from '../../test-support/receipt.js';
import { forgetConversation, forgetOlderThan, keepWithin } from './kept.js';
import { ReceiptFolder } from './receipt-folder.js';

let data: string;
beforeEach(async () => void (data = await mkdtemp(path.join(tmpdir(), 'palimpsest-kept-'))));
afterEach(() => rm(data, { recursive: true }));

const now = new Date('2026-11-28T12:00:00Z');
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);
const idOf = (number: number) => number.toString(16).padStart(12, '0');
/** No process has this number. */
const dead = 2 ** 22 + 1;

/** Keeps a conversation as the gateway does, and makes it some days old. */
async function keep(id: number, days: number, { log = id, process: owner = dead } = {}): Promise<void> {
  const receipts = path.join(data, 'receipts');
  new ReceiptFolder(receipts).append(receipt({ conversation: idOf(id), log: idOf(log), counted: [1, 2, 3] }));
  const file = path.join(receipts, `${idOf(log)}-${idOf(id)}.jsonl`);
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(`"process":${process.pid}}`, `"process":${owner}}`));
  const events = path.join(data, 'sessions', `${idOf(log)}.jsonl`);
  const orders = path.join(data, 'orders', `${idOf(id)}.json`);
  await mkdir(path.join(data, 'sessions', `${idOf(log)}.lock`), { recursive: true });
  await mkdir(path.dirname(orders), { recursive: true });
  await writeFile(events, `{"type":"condensation"}\n`);
  await writeFile(orders, '{"isPaused":true}');
  for (const each of [file, events, path.join(data, 'sessions', `${idOf(log)}.lock`)])
    await utimes(each, daysAgo(days), daysAgo(days));
}

const left = async () =>
  (await readdir(path.join(data, 'receipts'))).map((name) => Number.parseInt(name.slice(13, 25), 16));

it('deletes what is too old, with its events and orders', async () => {
  for (const [id, days] of [
    [1, 91],
    [2, 89],
  ] as const)
    await keep(id, days);
  await keepWithin(data, { now: () => now });
  expect(await left()).toEqual([2]);
  expect(await readdir(path.join(data, 'sessions'))).toEqual([`${idOf(2)}.jsonl`, `${idOf(2)}.lock`]);
  expect(await readdir(path.join(data, 'orders'))).toEqual([`${idOf(2)}.json`]);
});

it('deletes the oldest until the rest is small enough, but nothing that is in use', async () => {
  for (const [id, days] of [
    [1, 0.5],
    [2, 5],
    [3, 3],
    [4, 0.1],
  ] as const)
    await keep(id, days, id === 1 ? { process: process.pid } : {});
  await keepWithin(data, { bytes: 1_300, now: () => now });
  expect(await left()).toEqual([1, 4]);
  await keepWithin(data, { bytes: 0, now: () => now });
  expect(await left()).toEqual([1]);
  // A day after its last request, nobody waits for it.
  await keepWithin(data, { bytes: 0, now: () => new Date(now.getTime() + 86_400_000) });
  expect(await left()).toEqual([]);
});

it('forgets a conversation; events that another one shares stay with it', async () => {
  await keep(1, 2);
  await keep(2, 2, { log: 9 });
  await keep(3, 2, { log: 9 });
  expect(await forgetConversation(data, idOf(1), now)).toMatchObject({ conversations: 1, inUse: [], shared: [] });
  expect(await forgetConversation(data, idOf(2), now)).toMatchObject({ conversations: 1, shared: [idOf(3)] });
  expect(existsSync(path.join(data, 'sessions', `${idOf(9)}.jsonl`))).toBe(true);
  expect(await forgetConversation(data, idOf(3), now)).toMatchObject({ conversations: 1, shared: [] });
  expect(await readdir(path.join(data, 'sessions'))).toEqual([]);
  expect(await forgetConversation(data, idOf(4), now)).toBeUndefined();
});

it('forgets all, or those of some days ago, and says which are in use', async () => {
  for (const [id, days] of [
    [1, 40],
    [2, 20],
    [3, 0.2],
  ] as const)
    await keep(id, days, id === 3 ? { process: process.pid } : {});
  expect(await forgetOlderThan(data, 30, now)).toMatchObject({ conversations: 1, inUse: [] });
  expect(await left()).toEqual([2, 3]);
  expect(await forgetOlderThan(data, 0, now)).toMatchObject({ conversations: 1, inUse: [idOf(3)] });
  expect(await forgetConversation(data, idOf(3), now)).toMatchObject({ conversations: 0, inUse: [idOf(3)] });
  expect(await left()).toEqual([3]);
});
