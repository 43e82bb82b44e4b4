import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { OrderFolder } from './order-folder.js';

let folder = '';
beforeEach(async () => (folder = await mkdtemp(path.join(os.tmpdir(), 'orders-'))));
afterEach(() => rm(folder, { recursive: true }));

it('keeps orders for the user alone until they are taken back', async () => {
  const orders = new OrderFolder(path.join(folder, 'orders'));
  expect(await orders.of('one')).toEqual({ isPaused: false });
  await orders.give('one', { isPaused: true, undo: 'a-condensation' });
  expect(await orders.of('one')).toEqual({ isPaused: true, undo: 'a-condensation' });
  expect((await stat(path.join(folder, 'orders'))).mode & 0o777).toBe(0o700);
  expect((await stat(path.join(folder, 'orders/one.json'))).mode & 0o777).toBe(0o600);
  await orders.undone('one');
  expect(await orders.of('one')).toEqual({ isPaused: true, undo: undefined });
  await orders.give('one', { isPaused: false });
  expect(await readdir(path.join(folder, 'orders'))).toEqual([]);
});

it('takes a damaged file for no order', async () => {
  await writeFile(path.join(folder, 'one.json'), '{"isPaused":');
  await writeFile(path.join(folder, 'two.json'), '[]');
  const orders = new OrderFolder(folder);
  expect(await orders.of('one')).toEqual({ isPaused: false });
  expect(await orders.of('two')).toEqual({ isPaused: false, undo: undefined });
});
