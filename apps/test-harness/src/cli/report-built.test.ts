import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { writeDemoSessions } from '../../test-support/demo-sessions.js';
import { builtHarness, cli } from '../../test-support/harness.js';

// The built command where a terminal and its signals need a process.

/** Undefined where no binary of node-pty is installed for this system. */
const pty = await import('@lydell/node-pty').catch(() => undefined);

let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'report-command-'));
  await writeDemoSessions(join(folder, '.pi/agent/sessions/work'), [60, 70, 80]);
  env = { PATH: process.env['PATH'] ?? '', HOME: folder, NO_COLOR: '1' };
});
afterAll(() => rm(folder, { recursive: true }));

/** Installs a condenser that comes to no end in a session with these words, and says so. */
async function installWaiting(words: string): Promise<void> {
  const place = join(folder, 'node_modules/waits');
  await mkdir(place, { recursive: true });
  await writeFile(join(place, 'package.json'), '{ "name": "waits", "type": "module", "exports": "./index.js" }');
  const condense = `(view) => {
    if (!JSON.stringify(view.events).includes(${JSON.stringify(words)})) return view;
    process.stderr.write('it waits');
    return new Promise(() => undefined);
  }`;
  await writeFile(join(place, 'index.js'), `export default () => ({ name: 'waits', condense: ${condense} });`);
}

test('without a command it is a report of the sessions that were found, and options are those of report', async () => {
  const { code, stdout, stderr } = await builtHarness(['-c', 'observationMasking', '-o', 'page.html'], {
    env,
    cwd: folder,
  });
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /^3 recorded sessions on this machine: pi 3\n {2}\d{4}-\d\d-\d\d \d\d:\d\d +\d+ kB {2}pi +work\/session-\d/,
  );
  expect(stdout).toMatch(/^3 sessions cost \$[^]*^observationMasking +-?\d+\.\d % +-?\d+\.\d % +\d+\.\d %$/m);
  expect(await readFile(join(folder, 'page.html'), 'utf8')).toMatch(/^<!doctype html>/);
});

test.skipIf(pty === undefined)('Ctrl-C at a terminal makes a page of what is done', async () => {
  // The second session that is replayed comes to no end.
  await installWaiting('Now look at the');
  await writeDemoSessions(join(folder, 'short'), [50]);
  const places = [join(folder, 'short'), join(folder, '.pi')];
  const run = ['report', ...places, '-c', 'observationMasking', '-c', 'waits', '--workers', '1', '-o', 'part.html'];
  const terminal = pty?.spawn(process.execPath, [cli, ...run], { cwd: folder, env });
  onTestFinished(() => terminal?.kill('SIGKILL'));
  const code = await new Promise((resolve) => {
    let output = '';
    terminal?.onData((data) => {
      const hasWaited = output.includes('it waits');
      output += data;
      if (!hasWaited && output.includes('it waits')) terminal.write('\x03');
    });
    terminal?.onExit(({ exitCode }) => resolve(exitCode));
  });
  expect(code).toBe(130);
  const html = await readFile(join(folder, 'part.html'), 'utf8');
  expect(html).toContain('"name":"session-1.jsonl"');
  expect(html).not.toContain('session-2.jsonl');
  expect(html).toContain('id="timeline-0"');
});
