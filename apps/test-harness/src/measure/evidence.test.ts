import { logBuilder } from '@palimpsest/events/testing';
import { expect, test } from 'vitest';
import { argumentParts, evidenceOf, holdsSpan, namesIn } from './evidence.js';
import { recordedSession } from './recorded-session.js';

test('names are found with their kinds, and one inside of a longer one is none', () => {
  const text = 'open ./src/lib/parser.ts and see parseHeader, config.yaml, #AB1234, 20417 or "as it was said"';
  expect(Object.fromEntries(namesIn(text))).toEqual({
    'src/lib/parser.ts': 'path',
    parseHeader: 'symbol',
    'config.yaml': 'file',
    '#AB1234': 'id',
    '20417': 'number',
    'as it was said': 'quoted',
  });
});

test('ordinary words and short names are no names', () => {
  expect([...namesIn('the importance of a/b and of functions, 123')]).toEqual([]);
});

test('new text of the model is not read; text to replace is anchors; here-documents are new text', () => {
  const edit = { path: 'a.ts', old_string: '  const first = 1;\n}', new_string: 'const second = 2;' };
  expect(argumentParts(JSON.stringify(edit))).toEqual({ text: 'a.ts', anchors: ['const first = 1;'] });
  const script = { command: "cat > b.ts <<'EOF'\nconst unread = 1;\nEOF\nnpm test" };
  expect(argumentParts(JSON.stringify(script)).text).not.toContain('unread');
  const patch =
    '*** Begin Patch\n*** Update File: src/a.ts\n-const removed = 1;\n+const added = 1;\n context is kept\n';
  expect(argumentParts(JSON.stringify({ input: patch }))).toEqual({
    text: '\n*** Update File: src/a.ts',
    anchors: ['const removed = 1;', 'context is kept'],
  });
  expect(argumentParts('not json: src/lib/a.ts').text).toBe('not json: src/lib/a.ts');
});

test('a span stands at the boundaries of words', () => {
  expect(holdsSpan('read src/a.ts now', 'src/a.ts')).toBe(true);
  expect(holdsSpan('read src/a.tsx now', 'src/a.ts')).toBe(false);
  expect(holdsSpan('xsrc/a.ts and src/a.ts', 'src/a.ts')).toBe(true);
  expect(holdsSpan('f(old)', '(old)')).toBe(true);
});

/** A listing names a file; the model reads other files; then it opens that one. */
function listing(callsBetween: number) {
  const log = logBuilder();
  log.user('Mend the tokenizer.');
  const { result } = log.call('list', {}, 'src/tokens/readToken.ts');
  for (let call = 0; call < callsBetween; call++) log.call('think', { step: call }, 'hm');
  log.call('read', { path: 'src/tokens/readToken.ts' }, 'text');
  return { session: recordedSession(log.events), source: result };
}

test('a name in arguments that only an old result holds is evidence', () => {
  const { session, source } = listing(3);
  const evidence = evidenceOf(session);
  expect(evidence.map((used) => used.length)).toEqual([0, 0, 0, 0, 1]);
  expect(evidence[4]?.[0]).toMatchObject({
    text: 'src/tokens/readToken.ts',
    kind: 'identifier',
    sources: [session.indexOf.get(source?.id ?? '')],
    distance: 4,
  });
});

test('a source of the step before is in view under every policy, so it is none', () => {
  expect(evidenceOf(listing(0).session).flat()).toEqual([]);
  expect(evidenceOf(listing(1).session).flat()).toHaveLength(1);
});

test('what the model itself wrote lately, or the task names, is no evidence', () => {
  const log = logBuilder();
  log.user('Mend src/tokens/readToken.ts.');
  log.call('list', {}, 'src/tokens/readToken.ts lib/other/module.ts');
  log.call('think', { step: 1 }, 'hm');
  log.call('read', { path: 'lib/other/module.ts' }, 'text');
  log.call('read', { path: 'src/tokens/readToken.ts' }, 'text');
  log.call('write', { path: 'lib/other/module.ts' }, 'done');
  expect(evidenceOf(recordedSession(log.events)).map((used) => used.map(({ text }) => text))).toEqual([
    [],
    [],
    ['lib/other/module.ts'],
    [],
    [],
  ]);
});
