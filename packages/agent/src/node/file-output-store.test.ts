import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
