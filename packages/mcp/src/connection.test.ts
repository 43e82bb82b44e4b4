import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { connected, hostile, temporaryFolder } from '../test-support/servers.js';

const support = fileURLToPath(new URL('../test-support', import.meta.url));
let folder: string;
let program: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-mcp-'));
  program = join(folder, 'host.mjs');
  await build({
    entry: { host: join(support, 'host.ts') },
    outDir: folder,
    outExtension: () => ({ js: '.mjs' }),
    format: 'esm',
    target: 'node20',
    noExternal: [/./],
    esbuildOptions: (options) => void (options.conditions = ['@palimpsest/source']),
    // What is bundled and is no ES module asks for Node's own modules.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    config: false,
    silent: true,
  });
});

afterAll(async () => await rm(folder, { recursive: true, force: true }));

/** The numbers of a server and of what it started, both of which ignore the request to end. */
async function familyIn(file: string): Promise<readonly number[]> {
  const pids = (await readFile(file, 'utf8')).trim().split(' ').map(Number);
  expect(pids).toHaveLength(2);
  return pids;
}

/** Hangs, and so fails, if one goes on. */
async function allGone(pids: readonly number[]): Promise<void> {
  const isGone = async (pid: number): Promise<boolean> => {
    const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    return status === '' || /\) [ZX] /.test(status);
  };
  while (!(await Promise.all(pids.map(isGone))).every(Boolean)) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe.skipIf(process.platform !== 'linux')('no process of a server is left', () => {
  test('after close', async () => {
    const file = join(await temporaryFolder(), 'pids');
    const all = await connected({ family: hostile('family', { file }) });
    expect(all.notes).toEqual([]);
    const pids = await familyIn(file);
    await all.close();
    await allGone(pids);
    await expect(all.use('mcp__family__call')).rejects.toThrow(/was closed/);
  });

  test.each(['stays', 'closes', 'ends'])('after its host, which is killed or ends: %s', async (mode) => {
    const file = join(await temporaryFolder(), 'pids');
    const args = [program, join(support, 'hostile-server.mjs'), file, mode];
    const host = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void host.kill('SIGKILL'));
    const ended = once(host, 'exit');
    expect(String(await once(host.stdout, 'data'))).toBe('1\n');
    const pids = await familyIn(file);
    if (mode === 'stays') host.kill('SIGKILL');
    // Nothing keeps a host that has nothing to do.
    expect((await ended)[0]).toBe(mode === 'stays' ? null : 0);
    await allGone(pids);
  });
});
