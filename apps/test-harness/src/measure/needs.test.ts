import { logBuilder } from '@palimpsest/events/testing';
import { expect, test } from 'vitest';
import { evidenceOf } from './evidence.js';
import { evidenceNeed, newestNeed } from './needs.js';
import type { Need } from './needs.js';
import { recordedSession } from './recorded-session.js';
import type { Shown } from './shown.js';

/** A view that shows these events whole, and these words in a stub. */
function showing(whole: readonly number[], stub = ''): Shown {
  return { isWhole: (index) => whole.includes(index), isInStub: (span) => stub.includes(span), stubText: () => stub };
}
const nothing = showing([]);
const byCall = (need: Need, calls: number, shown = nothing) =>
  Array.from({ length: calls }, (_, call) => need(call, shown));

/** A search finds a file, and the user names another; both are opened later. */
function log() {
  const built = logBuilder();
  built.user('Mend the tokenizer.');
  built.call('grep', { pattern: 'token' }, 'src/tokens/readToken.ts');
  built.user('Look at lib/parts/joinParts.ts, too.');
  for (let step = 0; step < 4; step++) built.call('think', { step }, 'hm');
  built.call('read', { path: 'src/tokens/readToken.ts' }, 'text of one');
  built.call('read', { path: 'lib/parts/joinParts.ts' }, 'text of the other');
  return recordedSession(built.events);
}

test('evidence that is nowhere in view is read again from the newest result that held it; the user’s words are not', () => {
  const session = log();
  const need = evidenceNeed(session, evidenceOf(session));
  expect(byCall(need, 7)).toEqual([[], [], [], [], [], [2], []]);
  expect(need(5, showing([2]))).toEqual([]);
  expect(need(5, showing([], 'it read src/tokens/readToken.ts'))).toEqual([]);
});

/** Content of a result: three lines of its own. */
const content = (name: string): string => [1, 2, 3].map((line) => `the ${name} result, line ${line}`).join('\n');

test('the newest result of the same call, or of a call that names the same file, is read again', () => {
  const built = logBuilder();
  built.user('Mend the tokenizer.');
  built.call('read', { path: 'src/token.ts' }, content('old'));
  built.call('run', { command: 'npm test' }, content('fails'));
  built.call('edit', { path: 'src/token.ts', with: 'x' }, content('done'));
  built.call('run', { command: 'npm test' }, content('passes'));
  built.call('run', { command: 'wc src/token.ts' }, '1');
  const session = recordedSession(built.events);
  expect(byCall(newestNeed(session), 5)).toEqual([[], [], [2], [4], [6]]);
  expect(byCall(newestNeed(session), 5, showing([2, 6]))).toEqual([[], [], [], [4], []]);
  // Where fewer than three of its lines are missing there is nothing to read again.
  const summary = (lines: number) => showing([2, 6], content('fails').split('\n').slice(0, lines).join('\n'));
  expect(newestNeed(session)(3, summary(1))).toEqual([]);
  expect(newestNeed(session)(3, summary(0))).toEqual([4]);
});

test('a result that is a status is not looked at again', () => {
  const built = logBuilder();
  built.user('Mend the tokenizer.');
  built.call('edit', { path: 'src/token.ts' }, 'The file src/token.ts has been updated successfully.');
  built.call('edit', { path: 'src/token.ts', more: true }, 'ok');
  expect(byCall(newestNeed(recordedSession(built.events)), 2)).toEqual([[], []]);
});

test('calls of one response do not need each other’s results', () => {
  const built = logBuilder();
  built.user('Mend the tokenizer.');
  built.batch([
    { name: 'read', input: { path: 'src/token.ts' }, result: content('one') },
    { name: 'read', input: { path: 'src/token.ts', from: 9 }, result: content('two') },
  ]);
  built.call('read', { path: 'src/token.ts' }, 'again');
  const session = recordedSession(built.events);
  // The newest result of the same call, and the newest one of a call that names the file.
  expect(byCall(newestNeed(session), 2)).toEqual([[], [3, 4]]);
});
