import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openWorkspace } from '@palimpsest/tools';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test-support/folders.js';
import type { SlashCommand } from '../commands/command.js';
import { promptCompletion, WorkspaceFiles } from './completion.js';

const command = (name: string, more: Partial<SlashCommand> = {}): SlashCommand => ({
  name,
  usage: '',
  description: `does ${name}`,
  whileRunning: true,
  run: () => undefined,
  ...more,
});
const commands = [
  command('compact', { usage: '[focus]' }),
  command('context'),
  command('model', {
    complete: (argument) =>
      [
        { value: 'a/one', label: 'one' },
        { value: 'b/two', label: 'two' },
      ].filter(({ value }) => value.includes(argument)),
  }),
];

/** @param known - the files that are known after a moment. @defaultValue all */
async function found(line: string, files: readonly string[] = [], known = files) {
  const completion = promptCompletion({
    commands,
    session: undefined as never,
    files: async (isEnough) => (isEnough(known) ? known : files),
  });
  const { signal } = new AbortController();
  const result = await completion.getSuggestions([line], 0, line.length, { signal });
  return result?.items.map(({ value }) => value);
}

test('a slash completes commands at the beginning, and nothing elsewhere', async () => {
  expect(await found('/')).toEqual(['/compact', '/context', '/model']);
  expect(await found('/con')).toEqual(['/context']);
  expect(await found('/cpt')).toEqual(['/compact']);
  expect(await found('see /con')).toBeUndefined();
});

test('a command completes its argument', async () => {
  expect(await found('/model ')).toEqual(['a/one', 'b/two']);
  expect(await found('/model two')).toEqual(['b/two']);
  expect(await found('/compact x')).toBeUndefined();
});

test('@ completes files anywhere: names that begin so, the shortest first, and else letters in order', async () => {
  const files = ['src/deep/parser.ts', 'parser/other.ts', 'docs/a.md', 'parse.ts'];
  expect(await found('look at @pars', files)).toEqual(['@parse.ts', '@parser/other.ts', '@src/deep/parser.ts']);
  expect(await found('look at @dcam', files)).toEqual(['@docs/a.md']);
  expect(await found('a@b', files)).toBeUndefined();
});

test('a file that becomes known late is offered late; one that is known is offered at once', async () => {
  const [known, all] = [['src/a.ts'], ['src/a.ts', 'src/ab.ts', 'parse.ts']];
  expect(await found('@pars', all, known)).toEqual(['@parse.ts']);
  expect(await found('@a', all, known)).toEqual(['@src/a.ts']);
});

test('what was chosen stands where it was typed, with a space behind it', () => {
  const completion = promptCompletion({ commands, session: undefined as never, files: async () => [] });
  const item = { value: '@src/a.ts', label: 'src/a.ts' };
  expect(completion.applyCompletion(['see @sr now'], 0, 7, item, '@sr')).toEqual({
    lines: ['see @src/a.ts now'],
    cursorLine: 0,
    cursorCol: 13,
  });
});

test('the files of a workspace are offered without those that it ignores', async () => {
  const ignored = { 'src/b.log': '', 'node_modules/x.js': '', 'with blank.txt': '' };
  const root = await temporaryFolder({ 'src/a.ts': '', '.gitignore': '*.log\n', ...ignored });
  let time = 0;
  const files = new WorkspaceFiles(await openWorkspace(root), () => time);
  const all = () => files.names(() => false);
  expect(await all()).toEqual(['.gitignore', 'src/a.ts']);
  await writeFile(join(root, 'new.ts'), '');
  expect(await all()).not.toContain('new.ts');
  time = 60_000;
  expect(await all()).toContain('new.ts');
});
