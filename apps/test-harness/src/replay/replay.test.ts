import { expect, test } from 'vitest';
import { mapInOrder } from './replay.js';

async function* numbers(count: number): AsyncGenerator<number> {
  for (let number = 0; number < count; number++) yield number;
}

async function all<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** Work that ends when the test says so. */
function gates() {
  const open: (() => void)[] = [];
  return { open, work: (item: number) => new Promise<number>((resolve) => (open[item] = () => resolve(item * 10))) };
}

const same = <Value>(value: Value): Value => value;

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('results come in the order of the items, whatever ends first', async () => {
  const { open, work } = gates();
  const results = all(mapInOrder(numbers(4), work, same, { concurrency: 2 }));
  await nextTurn();
  expect(open).toHaveLength(2);
  open[1]?.();
  await nextTurn();
  expect(open).toHaveLength(3);
  open[2]?.();
  await nextTurn();
  open[0]?.();
  open[3]?.();
  expect(await results).toEqual([0, 10, 20, 30]);
});

test('the first error ends it', async () => {
  const failing = (item: number) => (item === 1 ? Promise.reject(new Error('no')) : Promise.resolve(item));
  await expect(all(mapInOrder(numbers(5), failing, same, { concurrency: 2 }))).rejects.toThrow('no');
});

test('an abort returns what is done, also behind what is not, and takes no more', async () => {
  const { open, work } = gates();
  const controller = new AbortController();
  const results = all(mapInOrder(numbers(9), work, same, { concurrency: 2, signal: controller.signal }));
  await nextTurn();
  open[1]?.();
  await nextTurn();
  controller.abort();
  expect(await results).toEqual([10]);
  expect(open).toHaveLength(3);
});
