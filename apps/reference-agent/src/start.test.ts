import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const preload = new URL('../test-support/until-first-request.mjs', import.meta.url).href;

test('before the first request nothing is loaded that only some runs need', () => {
  const home = mkdtempSync(join(tmpdir(), 'palimpsest-start-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const args = ['--import', preload, cli, '-p', 'Hello?', '--base-url', 'http://127.0.0.1:9/v1', '--model', 'local'];
  const { status, output } = spawnSync(process.execPath, args, {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  expect(status).toBe(0);
  const loaded = [...String(output[3]).matchAll(/\/node_modules\/((?:@[\w-]+\/)?[\w.-]+)\//g)].map((found) => found[1]);
  expect(loaded).toEqual(expect.arrayContaining(['commander', 'openai', 'zod']));
  const late = ['yaml', 'smol-toml', 'ignore', 're2js', '@anthropic-ai/sdk', 'js-tiktoken'];
  expect(late.filter((name) => loaded.includes(name))).toEqual([]);
});
