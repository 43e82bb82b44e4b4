import { expect, test } from 'vitest';
import { filesOfPatch } from './arguments.js';

test('the files of a marked patch, moves and deletions too', () => {
  const patch = [
    '*** Begin Patch',
    '*** Add File: a.ts',
    '+x',
    '*** Update File: b.ts',
    '*** Move to: c.ts',
    '@@',
    '*** Delete File: d e.ts',
    '*** Update File: f.ts\r',
    '*** End Patch',
  ].join('\n');
  expect(filesOfPatch(patch)).toEqual([
    { path: 'a.ts', operation: 'created' },
    { path: 'b.ts', operation: 'deleted' },
    { path: 'c.ts', operation: 'created' },
    { path: 'd e.ts', operation: 'deleted' },
    { path: 'f.ts', operation: 'modified' },
  ]);
});

test('the files of a unified diff, new, gone and renamed ones too', () => {
  const diff = [
    'diff --git a/a.ts b/a.ts',
    '--- a/a.ts',
    '+++ b/a.ts',
    '@@ -1 +1 @@',
    '-x',
    '+y',
    '--- /dev/null',
    '+++ b/new.ts\t2026-01-01',
    '--- a/gone.ts',
    '+++ /dev/null',
    '--- a/old.ts',
    '+++ b/other.ts',
  ].join('\n');
  expect(filesOfPatch(diff)).toEqual([
    { path: 'a.ts', operation: 'modified' },
    { path: 'new.ts', operation: 'created' },
    { path: 'gone.ts', operation: 'deleted' },
    { path: 'other.ts', operation: 'modified' },
    { path: 'old.ts', operation: 'deleted' },
  ]);
});

test('other text names no files', () => {
  expect(filesOfPatch('--- a heading\nand text')).toEqual([]);
});
