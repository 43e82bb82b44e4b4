import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { cacheFolder, guardedFolders } from './settings/user-folders.js';

interface Metafile {
  readonly outputs: Readonly<Record<string, { readonly inputs: Readonly<Record<string, unknown>> }>>;
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
}

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const metafile = JSON.parse(readFileSync(join(dist, 'metafile-esm.json'), 'utf8')) as Metafile;

/** The packages whose code is in files of the built program. */
function packagesIn(names: readonly string[]): readonly string[] {
  const inputs = Object.entries(metafile.outputs).flatMap(([file, each]) =>
    names.includes(basename(file)) ? Object.keys(each.inputs) : [],
  );
  return packagesOf(inputs);
}

/** The packages of these files of `node_modules`. */
function packagesOf(files: readonly string[]): readonly string[] {
  return [...new Set(files.flatMap((file) => /.*\bnode_modules\/((?:@[\w-]+\/)?[\w.-]+)\//.exec(file)?.[1] ?? []))];
}

const cli = join(dist, 'cli.js');
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
  const urls = String(output[3]).split('\n');
  const loaded = [...packagesOf(urls), ...packagesIn(urls.map((url) => basename(url)))];
  expect(loaded).toEqual(expect.arrayContaining(['commander', 'openai', 'zod']));
  const late = [
    'yaml',
    'smol-toml',
    'ignore',
    'diff',
    '@anthropic-ai/sdk',
    '@opentelemetry/api',
    '@modelcontextprotocol/client',
  ];
  expect([...late, '@mariozechner/pi-tui'].filter((name) => loaded.includes(name))).toEqual([]);
});

test('what only the program uses is in its own files, and nothing that npm can swap', () => {
  const { dependencies = {} } = createRequire(import.meta.url)('../package.json') as Manifest;
  const inside = packagesIn(readdirSync(dist));
  expect(inside).toEqual(expect.arrayContaining(['commander', '@mariozechner/pi-tui']));
  const imported = readdirSync(dist)
    .filter((name) => name.endsWith('.js'))
    .flatMap((name) => [...readFileSync(join(dist, name), 'utf8').matchAll(/(?:\bfrom|\bloadModule\()"([^."][^"]*)"/g)])
    .flatMap(([, name = '']) => /^(?:@[\w-]+\/)?[\w-]+(?=$|\/)/.exec(name)?.[0] ?? [])
    .filter((name) => !module.isBuiltin(name));
  expect(new Set(imported)).toEqual(new Set(Object.keys(dependencies).filter((name) => name !== '@opentelemetry/api')));
});

test('nothing but its own way imports a module while the built program runs', () => {
  const code = readdirSync(dist).filter((name) => name.endsWith('.js') && name !== 'load-module.js');
  const importing = code.filter((name) => /\bimport\("(?!node:)/.test(readFileSync(join(dist, name), 'utf8')));
  expect(code).toContain('cli.js');
  expect(importing).toEqual([]);
});

test('compiled code is kept where no command can write, on a Node that keeps it', () => {
  const home = mkdtempSync(join(tmpdir(), 'palimpsest-start-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const env = { PATH: process.env['PATH'], HOME: home, XDG_CACHE_HOME: join(home, 'cache') };
  expect(cacheFolder(env)).toBe(join(home, 'cache', 'palimpsest'));
  expect(guardedFolders(env)).toContain(cacheFolder(env));
  expect(cacheFolder({ XDG_CACHE_HOME: 'relative' })).not.toContain('relative');
  const { status } = spawnSync(process.execPath, [cli, 'list'], { cwd: home, env });
  expect(status).toBe(0);
  expect(existsSync(cacheFolder(env))).toBe('enableCompileCache' in module);
});
