import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textRange } from '@palimpsest/events';
import { expect, onTestFinished, test } from 'vitest';
import { fileOutputStore } from './file-output-store.js';

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'palimpsest-output-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

const of = (text: string) => ({ actionId: 'a', toolName: 'run', text });

test('a text is found again by its handle, also by another process; the same text is kept once', async () => {
  const directory = join(await folder(), 'outputs');
  const handle = await fileOutputStore({ directory }).put(of('straße\n'));
  expect(await fileOutputStore({ directory }).put(of('straße\n'))).toBe(handle);
  expect(await fileOutputStore({ directory }).get(handle)).toBe('straße\n');
  expect(await readdir(directory)).toHaveLength(1);
});

test('a foreign handle names no file', async () => {
  const outer = await folder();
  await writeFile(join(outer, 'secret.txt'), 'secret');
  const store = fileOutputStore({ directory: join(outer, 'outputs') });
  await store.put(of('x'));
  for (const handle of ['../secret', 'secret', '/etc/passwd', `output-${'0'.repeat(32)}`, 'output-../../secret']) {
    expect(await store.get(handle)).toBeUndefined();
  }
});

test('a folder that cannot be written is an error of the call', async () => {
  const file = join(await folder(), 'a-file');
  await writeFile(file, '');
  await expect(fileOutputStore({ directory: file }).put(of('x'))).rejects.toThrow();
});

test('a part is read without the whole in memory, the same as if it were cut from the whole', async () => {
  const directory = join(await folder(), 'outputs');
  const store = fileOutputStore({ directory });
  const text = `a${'😀ß'.repeat(150_000)}z`;
  const handle = await store.put(of(text));
  const ranges = [
    ...[
      [0, 1],
      [0, 2],
      [1, 1],
      [2, 1],
      [2, 3],
      [262_143, 5],
      [262_144, 5],
      [400_000, 100_000],
      [text.length - 1, 9],
    ],
  ] as const;
  for (const [offset = 0, length = 0] of ranges) {
    const { start, end } = textRange(text, offset, length);
    expect(await store.part?.(handle, { offset, length })).toEqual({
      text: text.slice(start, end),
      start,
      total: text.length,
    });
  }
  expect(await store.part?.(handle, { offset: text.length, length: 5 })).toMatchObject({
    text: '',
    total: text.length,
  });
  expect(await store.part?.(`output-${'0'.repeat(32)}`, { offset: 0, length: 5 })).toBeUndefined();
  expect(await store.part?.('../secret', { offset: 0, length: 5 })).toBeUndefined();
});
