import { expect, test } from 'vitest';
import type { FileDiff } from '@palimpsest/tools/diff';
import { callLines, claimLines, waitingCallLines } from './call-lines.js';
import { uncoloured } from './lines.js';

const linesOf = (input: unknown, diff?: FileDiff) =>
  callLines({ name: 'any', arguments: typeof input === 'string' ? input : JSON.stringify(input) }, diff).map(
    uncoloured,
  );
const diff: FileDiff = {
  path: 'a.ts',
  isNew: false,
  added: 1,
  removed: 1,
  lines: [
    { kind: 'gap', text: '8 lines' },
    { kind: 'same', text: 'zero', line: 9 },
    { kind: 'removed', text: 'one', line: 10 },
    { kind: 'added', text: 'two', line: 10 },
  ],
};

test.each([
  ['a command as it is typed', { command: 'true\n  x: 1' }, ['$ true', '>   x: 1']],
  ['a change of a file', { old_text: 'one\n', new_text: 'two\n\n' }, ['- one', '+ two', '+ ']],
  [
    'other arguments',
    { 'a\nb': 1, c: 'd\r\ne', f: { g: [1] } },
    ['a b: 1', 'c:', '| d', '| e', 'f:', '| {', '|   "g": [', '|     1', '|   ]', '| }'],
  ],
  ['tabs as they are, and no escapes', { path: 'a\tb\u001b', new_text: '\tall:\n' }, ['path: a\tb\\x1b', '+ \tall:']],
  ['no arguments', '', []],
  ['arguments that are no JSON', '{"a":\nx', ['any, not JSON:', '| {"a":', '| x']],
  ['arguments that are no object', '[1]', ['any, not JSON:', '| [1]']],
])('%s', (_, input, lines) => {
  expect(linesOf(input)).toEqual(lines);
});

test('a diff stands in place of the texts of a change', () => {
  expect(linesOf({ path: 'a.ts', old_text: 'one', new_text: 'two' }, diff)).toEqual([
    'path: a.ts',
    'Change of a.ts: 1 line added, 1 removed',
    '⋯ 8 lines',
    '   9 zero',
    '- 10 one',
    '+ 10 two',
  ]);
});

test('the words of a model about its call are told apart, and a risk that nobody knows is none', () => {
  expect(claimLines({})).toEqual([]);
  expect(claimLines({ risk: 'unknown' })).toEqual([]);
  const call = { name: 'run\u001b_command', arguments: '{"command":"ls"}', summary: 'Lists.', risk: 'low' };
  expect(waitingCallLines(call).map(uncoloured)).toEqual([
    'run\\x1b_command',
    '  $ ls',
    '  the model says, unchecked: risk: low · “Lists.”',
  ]);
});
