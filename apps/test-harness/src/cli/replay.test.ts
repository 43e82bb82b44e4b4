import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileEventStore } from '@palimpsest/events/file';
import { logBuilder } from '@palimpsest/events/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { harness } from '../../test-support/harness.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-harness-'));
  const log = logBuilder();
  log.system('You repair programs.');
  log.user('Mend the parser.');
  for (let step = 0; step < 80; step++) log.call('read_file', { path: `src/${step}.ts` }, `line ${step}\n`.repeat(300));
  log.agent('The parser is mended.');
  await fileEventStore({ directory: folder }).append('long', log.events);
  const chat = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 'hello' },
  ];
  await writeFile(join(folder, 'short-chat.txt'), JSON.stringify(chat));
  await writeFile(join(folder, 'recipe.md'), '# Bread\n\nFlour, water, salt.\n');
});

afterAll(() => rm(folder, { recursive: true }));

// All tables are printed in the tests of the built command, which stores what takes long.
test('replays a folder through every condenser and prints one table', async () => {
  const { code, stdout, stderr } = await harness('replay', folder);
  expect(stdout).toContain('1 session, 81 model calls');
  expect(stdout).toContain('1 short session, in which no policy had anything to condense, is not counted.');
  for (const name of ['none', 'noOp', 'recentEvents', 'observationMasking', 'extractiveSummary', 'pipeline']) {
    expect(stdout.match(new RegExp(`^${name} .* %$`, 'gm')), name).toHaveLength(1);
  }
  expect(stdout).toContain('recipe.md');
  expect(stderr).toContain('short-chat.txt');
  expect(code).toBe(0);
});

test('of sessions in which nothing is to condense no table of zeros is printed', async () => {
  const { code, stdout } = await harness('replay', join(folder, 'short-chat.txt'));
  expect(stdout).toContain('In this short session no policy had anything to condense, so none saves anything.');
  expect(stdout).not.toMatch(/^none /m);
  expect(code).toBe(0);
});

test('without a path it replays the sessions of this machine, or says that it takes the sample', async () => {
  const home = join(folder, 'home');
  const unset = { XDG_CONFIG_HOME: '', XDG_CACHE_HOME: '', XDG_DATA_HOME: '', CLAUDE_CONFIG_DIR: '', CODEX_HOME: '' };
  for (const [name, value] of Object.entries({ ...unset, HOME: home })) vi.stubEnv(name, value);
  const sample = await harness('replay', '-c', 'noOp', '--json');
  expect(sample.stderr).toContain('Instead, a sample');
  expect(JSON.parse(sample.stdout)).toMatchObject({
    sessions: [{ name: 'demo.jsonl' }, { name: 'long-session.jsonl' }],
  });
  const project = join(home, '.claude/projects/-work');
  await mkdir(project, { recursive: true });
  await copyFile(join(folder, 'short-chat.txt'), join(project, 'chat.jsonl'));
  await writeFile(join(project, 'torn.jsonl'), 'not a log');
  const found = await harness('replay', '-c', 'noOp', '--json');
  vi.unstubAllEnvs();
  expect(found.stderr).toContain('2 recorded sessions on this machine: Claude Code 2');
  expect(JSON.parse(found.stdout)).toMatchObject({
    sessions: [{ format: 'openai-chat' }],
    skipped: [{ file: join(project, 'torn.jsonl') }],
  });
  expect([sample.code, found.code]).toEqual([0, 0]);
});

test('--json prints one document, with a row for each condenser and each session', async () => {
  const { code, stdout } = await harness('replay', '--json', '--condenser', 'extractiveSummary', '-c', 'noOp', folder);
  const report = JSON.parse(stdout) as {
    readonly rows: readonly {
      readonly condenser: string;
      readonly refusedLists: number;
      readonly share: number;
      readonly savings: readonly { readonly prices: string; readonly pooled: number; readonly unit?: string }[];
    }[];
    readonly sessions: readonly { readonly name: string; readonly format: string }[];
  };
  expect(report.rows.map(({ condenser }) => condenser)).toEqual(['none', 'extractiveSummary', 'noOp']);
  expect(report.rows.every(({ refusedLists }) => refusedLists === 0)).toBe(true);
  expect(report.rows[1]?.share).toBeLessThan(0.9);
  expect(report.rows[1]?.savings.map(({ prices }) => prices)).toEqual(['r = 0.1', 'r = 0.05', 'r = 0.025', 'no cache']);
  expect(report.rows[1]?.savings.at(-1)?.pooled).toBeGreaterThan(0.1);
  expect(new Set(report.sessions.map(({ format }) => format))).toEqual(new Set(['palimpsest-jsonl', 'openai-chat']));
  expect(code).toBe(0);
});

test('a condenser or a path that is given twice counts once', async () => {
  const path = join(folder, 'short-chat.txt');
  const { stdout } = await harness('replay', path, path, '-c', 'noOp', '-c', 'noOp', '-c', 'none', '--json');
  const report = JSON.parse(stdout) as {
    readonly rows: readonly { readonly condenser: string; readonly sessions: number }[];
  };
  expect(report.rows.map(({ condenser, sessions }) => [condenser, sessions])).toEqual([
    ['none', 1],
    ['noOp', 1],
  ]);
});

test('--model adds what the sessions cost in USD, and knows which models have prices', async () => {
  const known = await harness('replay', folder, '-c', 'extractiveSummary', '--model', 'claude-opus-5-5', '--json');
  const { rows } = JSON.parse(known.stdout) as {
    readonly rows: readonly { readonly savings: readonly { readonly unit?: string; readonly bill: number }[] }[];
  };
  expect(rows.map(({ savings }) => savings[0]?.unit)).toEqual(['USD', 'USD']);
  expect(rows[1]?.savings[0]?.bill).toBeLessThan(rows[0]?.savings[0]?.bill ?? 0);
  const unknown = await harness('replay', folder, '--model', 'nosuch');
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain('claude-opus-5-5');
});

test('a file that is no log, or is not there, is an error that names it', async () => {
  const recipe = await harness('replay', join(folder, 'recipe.md'));
  expect(recipe.code).toBe(2);
  expect(recipe.stderr).toContain('recipe.md');
  expect(recipe.stderr).toContain('claude-code-jsonl');
  const missing = await harness('replay', join(folder, 'missing.jsonl'));
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain('missing.jsonl');
  expect(missing.stderr).not.toContain('    at ');
});

test('bad usage has the status of bad input, and help has none', async () => {
  expect((await harness('inspect')).code).toBe(2);
  expect((await harness('replay', folder, '--context-window', 'wide')).code).toBe(2);
  const slip = await harness('repaly');
  expect(slip.code).toBe(2);
  expect(slip.stderr).toContain(
    "'repaly' is no command and no file. Did you mean 'replay'? Commands: help, report, replay",
  );
  const help = await harness('replay', '--help');
  expect(help.code).toBe(0);
  expect(help.stdout).toContain('--condenser');
});

test('a folder without a session fails', async () => {
  const empty = await mkdtemp(join(tmpdir(), 'palimpsest-harness-'));
  const { code, stdout } = await harness('replay', empty);
  await rm(empty, { recursive: true });
  expect(code).toBe(1);
  expect(stdout).toContain('No session was found');
});
