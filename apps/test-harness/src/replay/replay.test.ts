import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileEventStore } from '@palimpsest/events/file';
import { logBuilder } from '@palimpsest/events/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parsePolicies } from './policy.js';
import { mapInOrder, replayPaths } from './replay.js';
import type { ReplayOptions } from './replay.js';
import type { SessionTimeline } from './timeline.js';
import type { ReplayedSession } from './replayed-session.js';

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

let logs: string;
let cacheFolder: string;
beforeEach(async () => {
  logs = await mkdtemp(join(tmpdir(), 'stored-logs-'));
  cacheFolder = await mkdtemp(join(tmpdir(), 'stored-results-'));
  for (const name of ['a', 'b', 'c']) {
    const log = logBuilder();
    log.user(`Mend ${name}.`);
    for (let step = 0; step < 20; step++) log.call('read', { path: `src/${step}.ts` }, `line ${step} `.repeat(200));
    await fileEventStore({ directory: logs }).append(name, log.events);
  }
});
afterEach(async () => {
  await rm(logs, { recursive: true });
  await rm(cacheFolder, { recursive: true });
});

const policies = await parsePolicies({ condenser: ['recentEvents:maxSize=12'], config: [] });

async function replayed(more: Partial<ReplayOptions> = {}) {
  const sessions: ReplayedSession[] = [];
  const stored: string[] = [];
  const options: ReplayOptions = {
    policies,
    cacheFolder,
    onSession: ({ name }, { wasStored }) => void (wasStored && stored.push(name)),
    ...more,
  };
  for await (const session of replayPaths([logs], options)) sessions.push(session);
  return { sessions, stored };
}

test('a second run finds every result, and it is the same', async () => {
  const [first, second] = [await replayed(), await replayed()];
  expect(first.stored).toEqual([]);
  expect(second.stored).toHaveLength(3);
  expect(second.sessions).toEqual(first.sessions);
});

test('a timeline comes with the replay, and is the same where the results were stored', async () => {
  const timelines = async (more: Partial<ReplayOptions> = {}) => {
    const found = new Map<string, string>();
    const onTimeline: ReplayOptions['onTimeline'] = async ({ name }, index, timeline) =>
      void found.set(`${index} ${name}`, await timeline());
    const { stored } = await replayed({ ...more, onTimeline });
    return { stored, found: [...found] };
  };
  const first = await timelines();
  expect(first.stored).toEqual([]);
  const names = policies.map(({ name }) => name);
  for (const [, json] of first.found) {
    const timeline = JSON.parse(json) as SessionTimeline;
    expect(timeline.policies.map(({ policy }) => policy)).toEqual(names);
    expect(timeline.policies.map(({ views }) => views.length)).toEqual([20, 20]);
  }
  const second = await timelines();
  expect(second.stored).toHaveLength(3);
  expect(second.found).toEqual(first.found);
});

test('an interrupted run goes on where it ended', async () => {
  const controller = new AbortController();
  const first = await replayed({ signal: controller.signal, onSession: () => controller.abort() });
  expect(first.sessions).toHaveLength(1);
  expect((await replayed()).stored).toEqual([first.sessions[0]?.name]);
});

test('another policy, another window or a changed session is computed, and what is known is not', async () => {
  await replayed();
  const filesOf = async () =>
    (await readdir(cacheFolder, { recursive: true })).filter((file) => file.endsWith('.json')).length;
  // Of three sessions: the measures, none, and a policy.
  expect(await filesOf()).toBe(9);
  await replayed({ policies: await parsePolicies({ condenser: ['recentEvents:maxSize=14'], config: [] }) });
  expect(await filesOf()).toBe(12);
  await replayed({ contextWindow: 3_000 });
  expect(await filesOf()).toBe(21);
  await fileEventStore({ directory: logs }).append('a', [logBuilder({ idPrefix: 'later-' }).user('And?')]);
  expect((await replayed()).stored).toHaveLength(2);
});

test('a stored result that is damaged, and a folder that cannot be written, cost time and nothing else', async () => {
  const first = await replayed();
  for (const file of await readdir(cacheFolder, { recursive: true })) {
    if (file.endsWith('.json')) await writeFile(join(cacheFolder, file), '{"torn');
  }
  const second = await replayed();
  expect(second.stored).toEqual([]);
  expect(second.sessions.map(({ name }) => name)).toEqual(first.sessions.map(({ name }) => name));
  const file = join(logs, 'no-folder');
  await writeFile(file, '');
  expect((await replayed({ cacheFolder: join(file, 'below') })).sessions).toHaveLength(3);
});
