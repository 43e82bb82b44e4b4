import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'tsup';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { hostileTemplates } from '../test-support/hostile-templates.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'palimpsest-templates-'));
  await build({
    entry: { program: path.join(import.meta.dirname, '../test-support/render-hostile.ts') },
    outDir: folder,
    outExtension: () => ({ js: '.mjs' }),
    format: 'esm',
    target: 'node20',
    noExternal: [/./],
    esbuildOptions: (options) => void (options.conditions = ['@palimpsest/source']),
    config: false,
    silent: true,
  });
});

afterAll(async () => await rm(folder, { recursive: true, force: true }));

interface Ending {
  readonly ends?: string;
  readonly outcome?: string;
}

/** What became of the templates, in a process with 512 MB that is killed when it does not end within the test. */
async function outcomes(): Promise<ReadonlyMap<string, string>> {
  const stdout = await new Promise<string>((resolve) => {
    const program = ['--max-old-space-size=512', path.join(folder, 'program.mjs')];
    const child = execFile(process.execPath, program, (_, written) => resolve(written));
    onTestFinished(() => void child.kill('SIGKILL'));
  });
  const lines = stdout.trim().split('\n');
  const endings = lines.map((line) => JSON.parse(line) as Ending);
  return new Map(endings.flatMap(({ ends, outcome }) => (ends === undefined ? [] : [[ends, outcome ?? '']])));
}

test('no template takes all time or all memory: it ends in a text or in an error that says why', async () => {
  const found = await outcomes();

  const ended = hostileTemplates.map(({ name, says }) => [name, (found.get(name) ?? 'did not end').includes(says)]);
  expect(
    ended.filter(([, asExpected]) => asExpected !== true).map(([name]) => [name, found.get(String(name))]),
  ).toEqual([]);
});
