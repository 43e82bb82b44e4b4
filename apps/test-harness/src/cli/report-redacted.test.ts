import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileEventStore } from '@palimpsest/events/file';
import { logBuilder } from '@palimpsest/events/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeDemoSessions } from '../../test-support/demo-sessions.js';
import { harness } from '../../test-support/harness.js';
import { readSessions } from '../import/index.js';

// Every word of the logs is looked for in the redacted page.

let folder: string;
/** The words of a redacted page of other sessions: those of its script and style, and of the names of figures. */
let wordsOfPage: ReadonlySet<string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-redacted-'));
  await writeDemoSessions(join(folder, 'other'), [60]);
  wordsOfPage = wordsIn(await redactedPage(join(folder, 'other'), 'other.html'));
});
afterAll(() => rm(folder, { recursive: true }));

async function redactedPage(path: string, name: string): Promise<string> {
  const chosen = ['-c', 'observationMasking', '-c', 'extractiveSummary'];
  const output = join(folder, name);
  const { code, stderr } = await harness(
    'report',
    path,
    '--redact',
    ...chosen,
    '--model',
    'claude-sonnet-5-5',
    '-o',
    output,
  );
  expect(code, stderr).toBe(0);
  return readFile(output, 'utf8');
}

/** The words of at least eight letters, in lower case. */
function wordsIn(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/\p{L}{8,}/gu) ?? []);
}

/** The words in the strings of the sessions, and in the names of their files and folders. */
async function secretWords(path: string): Promise<ReadonlySet<string>> {
  const words = new Set<string>();
  const shown = new Set(wordsOfPage);
  for await (const { name, file, events, notes } of readSessions(path)) {
    for (const { kind } of notes) for (const word of wordsIn(kind)) shown.add(word);
    for (const word of wordsIn(`${name} ${file}`)) words.add(word);
    JSON.stringify(events, (key, value: unknown) => {
      if (key === 'toolName' && typeof value === 'string') for (const word of wordsIn(value)) shown.add(word);
      // The type of an event is a word of ours.
      else if (typeof value === 'string' && key !== 'type') for (const word of wordsIn(value)) words.add(word);
      return value;
    });
  }
  for (const word of shown) words.delete(word);
  return words;
}

async function leaks(path: string, name: string): Promise<readonly string[]> {
  const secrets = await secretWords(path);
  expect(secrets.size).toBeGreaterThan(100);
  return [...wordsIn(await redactedPage(path, name))].filter((word) => secrets.has(word));
}

test('no word of our own logs is in the page', async () => {
  const corpus = fileURLToPath(new URL('../../../../corpus/', import.meta.url));
  expect(await leaks(corpus, 'corpus.html')).toEqual([]);
});

/** The folder of recorded sessions, some of other agents. */
const recorded = process.env['PALIMPSEST_TRAJECTORIES'] ?? '';

test
  .skipIf(recorded === '')
  .each([
    'codex-entire/019d78fc-c449-7300-92a1-1e92604a4f6a.raw.jsonl',
    'claude-code-entire/0bb9a2d9-a51e-4d5a-8275-566c766a0ff2.slim.jsonl',
    'pi-mono/large-session.jsonl',
  ])('no word of a recorded session is in the page: %s', async (name) => {
  expect(await leaks(join(recorded, name), `${basename(name)}.html`)).toEqual([]);
});

test('names that may be of a project are left out: of MCP servers, of tools that are paths', async () => {
  const log = logBuilder({ idPrefix: 'n' });
  log.user('Look.');
  for (let step = 0; step < 30; step++) {
    log.call('mcp__zebrafish-billing__find', {}, 'found\n'.repeat(300));
    log.call('home/zebrafish/run', {}, 'ran\n'.repeat(300));
  }
  await fileEventStore({ directory: join(folder, 'names') }).append('zebrafish', log.events);
  const html = await redactedPage(join(folder, 'names'), 'names.html');
  expect(html).not.toContain('zebrafish');
  expect(html).toContain('"tool":"mcp"');
});
