import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { ownFolders } from './own-folders.js';
import { cacheFolder } from './settings/user-folders.js';

const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const preload = new URL('../test-support/until-first-request.mjs', import.meta.url).href;

test('before the first request nothing is loaded that only some runs need', () => {
  const home = mkdtempSync(join(tmpdir(), 'palimpsest-start-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  // What `require` loads passes by the hooks.
  const args = [
    '--no-experimental-require-module',
    '--import',
    preload,
    cli,
    '-p',
    'Hello?',
    '--base-url',
    'http://127.0.0.1:9/v1',
    '--model',
    'local',
  ];
  const { status, output } = spawnSync(process.execPath, args, {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  expect(status).toBe(0);
  const loaded = [...String(output[3]).matchAll(/\/node_modules\/((?:@[\w-]+\/)?[\w.-]+)\//g)].map((found) => found[1]);
  expect(loaded).toEqual(expect.arrayContaining(['commander', 'openai', 'zod']));
  const late = [
    'yaml',
    'smol-toml',
    'ignore',
    're2js',
    '@anthropic-ai/sdk',
    'js-tiktoken',
    '@modelcontextprotocol/client',
  ];
  expect(late.filter((name) => loaded.includes(name))).toEqual([]);
});

test('a module that the program has loaded is the one that a package of the user imports', () => {
  const program = new URL('../dist/load-module.js', import.meta.url).href;
  const script = `
    import { loadModule } from ${JSON.stringify(program)};
    for (const name of ['@palimpsest/condensers', 'openai', 'zod']) {
      const loaded = await loadModule(name);
      for (const [key, value] of Object.entries(await import(name))) if (loaded[key] !== value) console.log(name, key);
    }`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    encoding: 'utf8',
  });
  expect({ stdout, stderr, status }).toEqual({ stdout: '', stderr: '', status: 0 });
});

test('nothing but its own way imports a module while the built program runs', () => {
  const dist = fileURLToPath(new URL('../dist/', import.meta.url));
  const code = readdirSync(dist).filter((name) => name.endsWith('.js') && name !== 'load-module.js');
  const importing = code.filter((name) => /\bimport\((?!"node:)/.test(readFileSync(join(dist, name), 'utf8')));
  expect(code).toContain('cli.js');
  expect(importing).toEqual([]);
});

test('compiled code is kept where no command can write, on a Node that keeps it', () => {
  const home = mkdtempSync(join(tmpdir(), 'palimpsest-start-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const env = { PATH: process.env['PATH'], HOME: home, XDG_CACHE_HOME: join(home, 'cache') };
  expect(cacheFolder(env)).toBe(join(home, 'cache', 'palimpsest'));
  expect(ownFolders(env)).toContain(cacheFolder(env));
  expect(cacheFolder({ XDG_CACHE_HOME: 'relative' })).not.toContain('relative');
  const { status } = spawnSync(process.execPath, [cli, 'list'], { cwd: home, env });
  expect(status).toBe(0);
  expect(existsSync(cacheFolder(env))).toBe('enableCompileCache' in module);
});
