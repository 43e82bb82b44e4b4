import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileEventStore } from '@palimpsest/events/file';
import { logBuilder } from '@palimpsest/events/testing';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { cli, harness } from '../../test-support/harness.js';

// The built command where threads, signals and pipes need a process.

let folder: string;
let logs: string;
/** One of them. */
let one: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'replay-command-'));
  logs = join(folder, 'logs');
  one = join(logs, 'a.jsonl');
  env = { ...process.env, XDG_CACHE_HOME: join(folder, 'cache'), NO_COLOR: '1' };
  for (const name of ['a', 'b', 'c', 'd']) {
    const log = logBuilder();
    log.user(`Mend ${name}.`);
    for (let step = 0; step < 14; step++)
      log.call('read', { path: `src/${step}.ts` }, `line ${name} ${step}\n`.repeat(200));
    await fileEventStore({ directory: logs }).append(name, log.events);
  }
});
afterAll(() => rm(folder, { recursive: true }));

interface Report {
  readonly isInterrupted: boolean;
  readonly sessions: readonly {
    readonly name: string;
    readonly replays: readonly { readonly milliseconds: number }[];
  }[];
}

const replay = [
  'replay',
  '--json',
  '-c',
  'extractiveSummary:maxTokens=4000',
  '-c',
  'observationMasking',
  '-w',
  '12000',
];

/** What is the same in every run: all but time in our code. */
function figures(json: string): unknown {
  return JSON.parse(json, (key, value: unknown) => (/milliseconds/i.test(key) ? undefined : value)) as unknown;
}

test('the results are the same for every number of threads', async () => {
  const args = [cli, ...replay, '--no-cache', '--workers', '3', logs];
  const inThreads = await promisify(execFile)(process.execPath, args, { env, maxBuffer: 1 << 26 });
  const [none, three] = [figures((await harness(...replay, logs)).stdout), figures(inThreads.stdout)];
  expect((none as Report).sessions.map(({ name }) => name)).toHaveLength(4);
  expect(three).toEqual(none);
});

/** Installs packages in the folder, each with a condenser of this body. */
async function installCondensers(bodies: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, body] of Object.entries(bodies)) {
    const place = join(folder, `node_modules/@acme/${name}`);
    await mkdir(place, { recursive: true });
    await writeFile(
      join(place, 'package.json'),
      JSON.stringify({ name: `@acme/${name}`, version: '1.0.0', type: 'module', exports: './index.js' }),
    );
    await writeFile(
      join(place, 'index.js'),
      `export default () => ({ name: '${name}', condense: (view) => { ${body} } });`,
    );
  }
}

test('SIGINT prints what is done, and the next run goes on from there', async () => {
  // The third session is not done before the signal, however late that comes.
  const isThird = `process.env.WAITS && JSON.stringify(view.events).includes('Mend c.')`;
  await installCondensers({ waits: `return ${isThird} ? new Promise(() => undefined) : view;` });
  const args = [cli, 'replay', '--json', '-c', 'extractiveSummary:maxTokens=4000', '-c', '@acme/waits', logs];
  const child = spawn(process.execPath, [...args, '--workers', '1'], { env: { ...env, WAITS: 'yes' }, cwd: folder });
  onTestFinished(() => void child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data: Buffer) => (stdout += String(data)));
  child.stderr.on('data', (data: Buffer) => {
    stderr += String(data);
    // A second signal would end it at once.
    if (stderr.includes('model calls') && !child.killed) child.kill('SIGINT');
  });
  const [code] = (await once(child, 'close')) as [number];
  expect(code).toBe(130);
  const report = JSON.parse(stdout) as Report;
  expect(report.isInterrupted).toBe(true);
  expect(report.sessions.length).toBeGreaterThan(0);
  expect(report.sessions.length).toBeLessThan(4);
  const again = await promisify(execFile)(process.execPath, args, { env, cwd: folder, maxBuffer: 1 << 26 });
  const whole = JSON.parse(again.stdout) as Report;
  expect(whole.isInterrupted).toBe(false);
  expect(whole.sessions).toHaveLength(4);
  // Time in our code is that of the first run: nothing was computed twice.
  expect(whole.sessions.slice(0, report.sessions.length)).toEqual(report.sessions);
});

test('SIGINT in the generated sessions of --all leaves what was printed, and JSON without them', async () => {
  await installCondensers({
    sticks: `return JSON.stringify(view.events).includes('Check every file') ? new Promise(() => undefined) : view;`,
  });
  for (const json of [false, true]) {
    const args = ['replay', '--all', ...(json ? ['--json'] : []), '-c', '@acme/sticks', one, '--workers', '1'];
    const child = spawn(process.execPath, [cli, ...args], { env, cwd: folder });
    onTestFinished(() => void child.kill('SIGKILL'));
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (data: Buffer) => (stdout += String(data)));
    child.stderr.on('data', (data: Buffer) => {
      stderr += String(data);
      if (stderr.includes('Replaying generated sessions') && !child.killed) child.kill('SIGINT');
    });
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(130);
    expect(stderr).toContain('the tables of the generated sessions are left out');
    if (json) {
      const report = JSON.parse(stdout) as Report;
      expect(report).toMatchObject({ isInterrupted: true, sessions: [{ name: 'a.jsonl' }] });
      expect(report).not.toHaveProperty('hostile');
    } else {
      expect(stdout).toContain('requests (o200k)');
      expect(stdout).not.toContain('45 generated sessions');
    }
  }
});

test('--all prints every table and the generated sessions last, and the JSON has them', async () => {
  const args = [cli, 'replay', '--all', '-c', 'noOp', one];
  const all = await promisify(execFile)(process.execPath, args, { env });
  const [logs = '', generated = ''] = all.stdout.split('45 generated sessions');
  expect(logs).toContain('requests (o200k)');
  expect(logs.match(/^noOp /gm)).toHaveLength(15);
  for (const steps of [200, 60])
    for (const price of [0.1, 0.05, 0.025]) expect(generated).toContain(`${steps} steps, r = ${price}`);
  expect(generated.match(/^noOp /gm)).toHaveLength(6);
  // All is stored now.
  const { stdout } = await promisify(execFile)(process.execPath, [...args, '--json'], { env, maxBuffer: 1 << 26 });
  const { hostile } = JSON.parse(stdout) as { readonly hostile: { rows: unknown[]; results: unknown[] } };
  expect(hostile.rows).toHaveLength(6);
  expect(hostile.results).toHaveLength(2 * 45 * 3);
});

test('a reader that goes away is no stack trace', async () => {
  const child = spawn(process.execPath, [cli, ...replay, '--workers', '0', one], { env });
  let stderr = '';
  child.stderr.on('data', (data: Buffer) => (stderr += String(data)));
  child.stdout.destroy();
  const [code] = (await once(child, 'close')) as [number];
  expect(stderr).not.toMatch(/EPIPE|\n {4}at /);
  expect(code).toBe(0);
});

test('a condenser that ends its thread or throws is named, and no terminal obeys its words', async () => {
  await installCondensers({ exits: 'process.exit(7);', shouts: 'throw new Error("boom \\u001b[2J");' });
  const args = ['replay', '-c', '@acme/exits', '-c', '@acme/shouts', '--workers', '1', '--no-cache', one];
  const failed = (await promisify(execFile)(process.execPath, [cli, ...args], { env, cwd: folder }).catch(
    (error: unknown) => error,
  )) as { readonly code: number; readonly stdout: string };
  expect(failed.code).toBe(1);
  expect(failed.stdout).toMatch(/^none /m);
  expect(failed.stdout).toContain('failed: a.jsonl, @acme/exits, model call 1: process.exit(7) was called');
  expect(failed.stdout).toContain('failed: a.jsonl, @acme/shouts, model call 1: boom \\x1b[2J');
  expect(failed.stdout).not.toContain('\u001b');
});

test('a thread without memory is an error that names the session', async () => {
  await installCondensers({ grows: 'for (const all = []; ; ) all.push(new Array(100_000).fill(1));' });
  const args = ['replay', '-c', '@acme/grows', '--workers', '1', '--no-cache', one];
  const small = { ...env, NODE_OPTIONS: '--max-old-space-size=200' };
  const failed = promisify(execFile)(process.execPath, [cli, ...args], { env: small, cwd: folder });
  await expect(failed).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/Replaying '.*a\.jsonl' needs more memory(?![^]*\n {4}at )/) as string,
  });
});

test.skipIf(process.platform === 'win32')('a pipe is refused, not waited for', async () => {
  const pipe = join(folder, 'pipe');
  await promisify(execFile)('mkfifo', [pipe]);
  const { code, stderr } = await harness('replay', '-c', 'noOp', pipe);
  expect(code).toBe(2);
  expect(stderr).toContain('no regular file');
});

test('a summariser without a key, or of an unknown provider, is refused before anything is read', async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const name of ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY']) vi.stubEnv(name, '');
  for (const [model, words] of [
    ['anthropic/claude-opus-5-5', 'ANTHROPIC_API_KEY'],
    ['acme/large', 'openai, anthropic'],
  ] as const) {
    const { code, stderr } = await harness('replay', '--summariser', model, logs);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  }
});
