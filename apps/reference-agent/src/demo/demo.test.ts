import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { ActionEvent, Event, Message } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';
import { openaiServer } from '@palimpsest/provider-servers';
import { widthOf } from '@palimpsest/terminal';
import { View } from '@palimpsest/view';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startCli } from '../../test-support/cli-process.js';
import { nodeWithFewTests, nodeWithFewTestsFirst, pathWithNode } from '../../test-support/stand-in-node.js';
import { problemOf } from '../context.js';
import type { CliContext } from '../context.js';
import { demoCommand } from './demo.js';
import type { DemoFlags } from './demo.js';
import { visibleHistory } from './offline-model.js';
import { SessionFigures } from '../output/figures.js';

// What it does, and how it ends. What ends it otherwise is in demo-process.test.ts.
const key = 'sk-made-up-key-for-a-test-0123456789';

interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `palimpsest demo` in this process, for what is not of a process. */
async function demoHere(flags: DemoFlags, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const { OPENAI_API_KEY: _openai, ANTHROPIC_API_KEY: _anthropic, ...own } = process.env;
  // Commands have the environment of the process.
  vi.stubEnv('PATH', env['PATH'] ?? process.env['PATH']);
  onTestFinished(() => void vi.unstubAllEnvs());
  let [stdout, stderr] = ['', ''];
  const context: CliContext = {
    env: { ...own, ...env },
    cwd: folder,
    stdin: Readable.from([]),
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    interrupts: { signal: new AbortController().signal, exitStatus: 130 },
  };
  try {
    const status = await demoCommand(flags, context);
    return { status, stdout, stderr };
  } catch (error) {
    const problem = problemOf(error);
    if (problem === undefined) throw error;
    return { status: problem.exitStatus, stdout, stderr: `${stderr}${problem.message}\n` };
  }
}

async function logIn(directory: string): Promise<readonly Event[]> {
  const store = fileEventStore({ directory });
  const events: Event[] = [];
  for await (const { conversationId } of store.list()) {
    for await (const event of store.read(conversationId)) events.push(event);
  }
  return events;
}

let folder: string;
let offlineLogs: string;
/** Where the tests of the sample project pass, because none runs. */
let noTests: string;
/** Where one file stands for all tests of the sample project. */
let fewTests: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-cli-test-'));
  offlineLogs = join(folder, 'offline');
  noTests = await pathWithNode('exit 0', join(folder, 'bin'));
  fewTests = await pathWithNode(nodeWithFewTests, join(folder, 'few'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('palimpsest demo', () => {
  test('a configuration that is wrong is told before anything runs', async () => {
    const config = join(folder, 'wrong.toml');
    await writeFile(config, 'type = "llm"\nkeep_first = -1');
    const ran = await demoHere({ logDir: join(folder, 'none'), config });
    expect(ran).toMatchObject({ status: 2, stdout: '' });
    expect(ran.stderr).toMatch(/llmSummarizing: 'keepFirst' must be a whole number of at least 0, not -1/);
  });

  test('the condenser of a file does the work, and other names in it are told', async () => {
    const config = join(folder, 'condenser.toml');
    await writeFile(config, 'type = "observation_masking"\nattention_window = 4\nminSavedTokens = 1000');
    const logs = join(folder, 'configured');
    // The work is reading alone, file after file, so that no step starts a process.
    const folderOfSources = fileURLToPath(new URL('../../sample-project/src', import.meta.url));
    const sources = (await readdir(folderOfSources)).filter((name) => name.endsWith('.js'));
    const read = (path: string, index: number) => ({
      content: 'Reading.',
      tool_calls: [
        { id: `call_${index}`, type: 'function', function: { name: 'read_file', arguments: JSON.stringify({ path }) } },
      ],
    });
    const server = await openaiServer({
      apiKey: key,
      reply: (_, index) => {
        const source = sources[index];
        return { message: source === undefined ? { content: 'Read.' } : read(`src/${source}`, index) };
      },
    });
    onTestFinished(() => server.close());
    const env = { OPENAI_API_KEY: key, OPENAI_BASE_URL: server.baseURL, PATH: noTests };
    const ran = await demoHere({ json: true, model: 'some-model', logDir: logs, config }, env);
    expect(ran.stderr).toContain("condenser.toml: The type 'observation_masking' is read as 'observationMasking'");
    const made = (await logIn(logs)).flatMap((event) => (event.type === 'condensation' ? [event] : []));
    expect(made.length).toBeGreaterThan(2);
    expect(new Set(made.map(({ metadata }) => metadata?.['condenser']))).toEqual(new Set(['observationMasking']));
    expect(made[0]?.redactions?.[0]).toMatchObject({ text: '<MASKED>' });
  });

  test('does the work, prints what it does, and leaves a log that replays', async () => {
    // Where CI tests thoroughly all tests run each time, as they do for a person.
    const isThorough = process.env['PALIMPSEST_THOROUGH'] === 'true';
    const PATH = await pathWithNode(nodeWithFewTestsFirst, join(folder, 'first'));
    const env = { HOME: folder, PATH: isThorough ? (process.env['PATH'] ?? '') : PATH };
    const ran = startCli(['demo', '--log-dir', offlineLogs], { cwd: folder, env });
    expect(await ran.ended).toBe(0);
    const stdout = ran.stdout();
    const lines = stdout.trimEnd().split('\n');
    // A screen, and no line wider than where nobody knows the width; the command for the page is to be copied.
    expect(lines.length).toBeLessThanOrEqual(40);
    expect(lines.filter((line) => widthOf(line) > 80)).toEqual([expect.stringMatching(/^npx palimpsest-harness/)]);
    const numbers = lines.flatMap((line) => /^ *(\d+)(?:–(\d+))? {2}/.exec(line) ?? []);
    expect(stdout).toMatch(/\n {2}◆ {2}[\d,]+ → [\d,]+ tokens a request: to read on would cost more than/);
    expect(stdout).toMatch(/ \$ node --test.* exit 1 /);
    // The page of the demo shows what is printed. Sizes and addresses are others in each run.
    const stable = (line: string) =>
      line
        .replace(/(recall) \w+/, '$1')
        .replace(/[\d.,]+/g, '0')
        .replace(/ +/g, ' ');
    const page = await readFile(fileURLToPath(new URL('../../docs/demo.md', import.meta.url)), 'utf8');
    const shown = /```text\n(.*?)```/s.exec(page)?.[1]?.trimEnd().split('\n') ?? [];
    expect(shown.length).toBeGreaterThan(20);
    for (const line of shown.filter((each) => each.trim() !== '…')) expect(lines.map(stable)).toContain(stable(line));
    expect(stdout).toContain('The tests, run once more: passed 75, failed 0\n');
    expect(stdout).toMatch(/\n3\d model calls, \d condensations?\. So short a session saves little/);
    expect(stdout).not.toMatch(/[\u001b]|\[survey/);

    const events = await logIn(offlineLogs);
    const account = new SessionFigures(events).comparison;
    expect(account.steps).toBe(events.filter(({ type }) => type === 'llm-usage').length);
    expect(account.steps).toBeGreaterThanOrEqual(30);
    // The last call ends the work, and has no line.
    expect(numbers.at(-1) ?? numbers.at(-2)).toBe(String(account.steps - 1));
    expect(account.tokensSent).toBeLessThan(account.tokensUncondensed * 0.8);
    expect(account.peakSent).toBeLessThanOrEqual(account.peakUncondensed);
    // The part that is written anew is written to the cache again.
    expect(account.costUsd).toBeLessThan(account.costUncondensedUsd);
    expect(account.condensations).toBeGreaterThanOrEqual(1);
    const view = View.fromEvents(events);
    expect([...view.notes]).toEqual([]);
    expect(view.toMessages().at(-1)).toMatchObject({ role: 'tool', toolName: 'finish' });
  });

  test('a test fails at first, and the same command passes later', async () => {
    const statuses = (await logIn(offlineLogs)).flatMap((event) =>
      event.type === 'observation' && String(event.details?.['command']).endsWith('reporter.js')
        ? [event.details?.['exitStatus']]
        : [],
    );
    expect(statuses[0]).toBe(1);
    expect(statuses.at(-1)).toBe(0);
  });

  test('an edit whose text was condensed away is made after the file was read again', async () => {
    const events = await logIn(offlineLogs);
    const readings = readingsAgain(events);
    expect(readings.length).toBeGreaterThan(0);
    for (const reading of readings) {
      const text = replacedAfter(events, reading);
      expect(visibleHistory(sentBefore(events, reading)).shows(text)).toBe(false);
      // Condensation is the cause: the same log without it still shows the text, and would have needed no reading.
      const whole = events.filter((event) => event.type !== 'condensation');
      expect(visibleHistory(sentBefore(whole, reading)).shows(text)).toBe(true);
    }
  });

  test('exits with the status of the tests, whatever the model says', async () => {
    const logs = join(folder, 'lazy');
    const server = await openaiServer({
      apiKey: key,
      reply: () => ({ message: { content: 'All tests pass, trust me.' } }),
    });
    try {
      const env = { OPENAI_API_KEY: key, OPENAI_BASE_URL: server.baseURL, PATH: fewTests };
      const ran = await demoHere({ model: 'some-model', logDir: logs }, env);
      expect(ran.status).toBe(1);
      expect(ran.stdout).toContain('All tests pass, trust me.');
      expect(ran.stdout).toContain('failed 1');
      const [log] = await readdir(logs);
      expect(`${ran.stdout}${ran.stderr}${await readFile(join(logs, log ?? ''), 'utf8')}`).not.toContain(key);
    } finally {
      await server.close();
    }
  });

  test('without the key of a named model: says which variable to set', async () => {
    const ran = await demoHere({ model: 'some-model', logDir: join(folder, 'none') });
    expect(ran).toMatchObject({ status: 2, stdout: '' });
    expect(ran.stderr).toContain('OPENAI_API_KEY');
  });

  test('a wrong key is a failed run, with the provider’s words and without the key', async () => {
    const server = await openaiServer({ apiKey: 'another', reply: () => ({ message: { content: 'Hi.' } }) });
    try {
      // The tests pass: it is the run that failed.
      const env = { OPENAI_API_KEY: key, OPENAI_BASE_URL: server.baseURL, PATH: noTests };
      const ran = await demoHere({ model: 'some-model', logDir: join(folder, 'refused') }, env);
      expect(ran.status).toBe(1);
      expect(ran.stdout).not.toContain('401');
      expect(ran.stderr.match(/palimpsest: /g)).toHaveLength(1);
      expect(`${ran.stdout}${ran.stderr}`).not.toContain(key);
    } finally {
      await server.close();
    }
  });

  test('says that it cannot write where the log cannot go', async () => {
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    for (const directory of [file, join(file, 'below')]) {
      const ran = await demoHere({ logDir: directory });
      expect(ran.status).toBe(2);
      expect(ran.stderr).toContain(`Cannot write logs to '${directory}'`);
      expect(ran.stderr).not.toContain('Cannot read');
    }
  });
});

/** The responses in which the model read a file again before it edited it. */
function readingsAgain(events: readonly Event[]): readonly ActionEvent[] {
  return events.flatMap((event) =>
    event.type === 'action' && event.thought.some((part) => part.type === 'text' && /, again\]$/.test(part.text))
      ? [event]
      : [],
  );
}

/** The messages that the model was sent before a response of a log. */
function sentBefore(events: readonly Event[], response: Event): readonly Message[] {
  return View.fromEvents(events.slice(0, events.indexOf(response))).toMessages();
}

/** The text that the first edit after a reading replaces and that the model did not see. */
function replacedAfter(events: readonly Event[], reading: Event): string {
  const seen = visibleHistory(sentBefore(events, reading));
  const texts = events.slice(events.indexOf(reading)).flatMap((event) => {
    if (event.type !== 'action' || event.toolCall.name !== 'edit_file') return [];
    return [String((JSON.parse(event.toolCall.arguments) as { old_text: string }).old_text)];
  });
  return texts.find((text) => !seen.shows(text)) ?? '';
}
