import { expect, test } from 'vitest';
import { fileDiff } from './file-diff.js';

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n') + '\n';

test('the lines that change, those around them with their numbers, and what is left out', () => {
  const before = numbered(20);
  const { lines, ...counts } = fileDiff('a.txt', before, before.replace('line 10\n', 'ten\nand more\n'));
  expect(counts).toEqual({ path: 'a.txt', isNew: false, added: 2, removed: 1 });
  expect(lines).toEqual([
    { kind: 'gap', text: '6 lines' },
    ...[7, 8, 9].map((line) => ({ kind: 'same', text: `line ${line}`, line })),
    { kind: 'removed', text: 'line 10', line: 10 },
    { kind: 'added', text: 'ten', line: 10 },
    { kind: 'added', text: 'and more', line: 11 },
    ...[11, 12, 13].map((line) => ({ kind: 'same', text: `line ${line}`, line: line + 1 })),
  ]);
});

test('a new file, an emptied one, one without a line break at its end', () => {
  expect(fileDiff('a', undefined, 'x\ny\n')).toMatchObject({ isNew: true, added: 2, removed: 0 });
  expect(fileDiff('a', 'x\n', '')).toMatchObject({ isNew: false, added: 0, removed: 1 });
  expect(fileDiff('a', 'x\n', 'x').lines.at(-1)).toEqual({ kind: 'gap', text: 'no line break at the end' });
  expect(fileDiff('a', 'x', 'x')).toMatchObject({ added: 0, removed: 0, lines: [] });
});

test('line breaks of Windows are no change, and no text; where only they change, that is said', () => {
  const crlf = numbered(3).replaceAll('\n', '\r\n');
  const { lines } = fileDiff('a', crlf, crlf.replace('line 2', 'two'));
  expect(lines.map(({ text }) => text)).toEqual(['line 1', 'line 2', 'two', 'line 3']);
  expect(fileDiff('a', crlf, numbered(3))).toMatchObject({
    added: 0,
    removed: 0,
    lines: [{ kind: 'gap', text: 'only line breaks change' }],
  });
});

test('of a long diff the beginning is shown; two long texts that have little in common are counted', () => {
  const [before, after] = [numbered(50_000), numbered(50_000)];
  const { lines, added } = fileDiff('a', undefined, after);
  expect(added).toBe(50_000);
  expect(lines).toHaveLength(401);
  expect(lines.at(-1)?.text).toMatch(/^49600 lines more of this diff$/);
  expect(fileDiff('a', before, after.replaceAll('line', 'row'))).toEqual({
    path: 'a',
    isNew: false,
    added: 50_000,
    removed: 50_000,
    lines: [{ kind: 'gap', text: '50000 lines become 50000: too many to compare' }],
  });
});
