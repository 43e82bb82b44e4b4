import { mkdir } from 'node:fs/promises';
import type { Event } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';
import { logBuilder } from '@palimpsest/events/testing';

const nouns = [
  'parser',
  'lexer',
  'printer',
  'resolver',
  'router',
  'cache',
  'queue',
  'ledger',
  'index',
  'schema',
  'session',
  'token',
];
const verbs = ['read', 'write', 'find', 'merge', 'split', 'check', 'load', 'store', 'plan', 'apply', 'render', 'order'];

/**
 * Returns a coding session of so many steps, the same for the same seed: files are listed, read, edited and tested, and
 * come back later.
 */
export function codingSession(steps: number, seed: number): readonly Event[] {
  const random = randomNumbers(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const files = Array.from(
    { length: 40 },
    (_, index) => `src/${pick(nouns)}/${pick(verbs)}-${pick(nouns)}-${index}.ts`,
  );
  const lineOf = (file: string, line: number): string =>
    `export function ${pick(verbs)}${capital(pick(nouns))}${line}(input: ${capital(pick(nouns))}): number { return ${Math.floor(random() * 90_000)}; } // ${file}:${line}`;
  const contents = new Map(
    files.map((file) => [
      file,
      Array.from({ length: 12 + Math.floor(random() * 50) }, (_, line) => lineOf(file, line)),
    ]),
  );
  const log = logBuilder({ idPrefix: `s${seed}-` });
  log.system('You change programs. Read before you edit, and run the tests after it.');
  log.user(`Make the ${pick(nouns)} faster, and keep the tests green.`);
  log.call('list_files', { path: 'src' }, files.join('\n'));
  let latest = files[0] as string;
  for (let step = 0; step < steps; step++) {
    const file = random() < 0.6 ? (files[step % files.length] as string) : pick(files);
    const kind = random();
    if (kind < 0.55) {
      latest = file;
      log.call('read_file', { path: file }, contents.get(file)?.join('\n') ?? '');
    } else if (kind < 0.75) {
      // An edit quotes a line of what was read last, and now and then of what was read long ago.
      const path = random() < 0.9 ? latest : file;
      const edit = { path, old_string: pick(contents.get(path) ?? []), new_string: lineOf(path, step) };
      log.call('edit_file', edit, 'The file is changed.');
    } else if (kind < 0.9) {
      log.call('run_tests', { filter: file }, testOutput(files, random));
    } else {
      const found = files.filter(() => random() < 0.4).map((each) => `${each}:3: found`);
      log.call('search', { pattern: pick(nouns) }, found.join('\n'));
    }
    if (step % 60 === 59) log.user(`Now look at the ${pick(nouns)} too.`);
  }
  log.agent('It is faster, and the tests are green.');
  log.usage({ model: 'claude-sonnet-5-5' });
  return log.events;
}

/** Writes sessions of several lengths into a folder, as logs of our own. */
export async function writeDemoSessions(folder: string, lengths: readonly number[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  const store = fileEventStore({ directory: folder });
  for (const [index, steps] of lengths.entries()) {
    await store.append(`session-${index + 1}`, codingSession(steps, index + 1));
  }
}

function testOutput(files: readonly string[], random: () => number): string {
  const passed = files.map((file) => ` ✓ ${file} (${Math.floor(random() * 400)} ms)`);
  return [...passed, `Tests ${files.length} passed`].join('\n');
}

function capital(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
