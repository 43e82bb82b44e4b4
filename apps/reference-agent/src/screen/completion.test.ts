import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openWorkspace } from '@palimpsest/tools';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test-support/folders.js';
import type { SlashCommand } from '../commands/command.js';
import { promptCompletion, promptHistory, WorkspaceFiles } from './completion.js';

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

async function surroundings() {
  const root = await temporaryFolder();
  const folder = join(root, 'palimpsest', 'prompts');
  return { env: { XDG_STATE_HOME: root, OPENAI_API_KEY: 'sk-0123456789abcdef' }, folder };
}

test('what was typed in a folder is there in its next session, and in no other folder', async () => {
  const { env } = await surroundings();
  const history = promptHistory('/projects/a', env);
  await history.add('first');
  await history.add('two\nlines');
  await history.add('  ');
  expect(await promptHistory('/projects/a', env).prompts()).toEqual(['first', 'two\nlines']);
  expect(await promptHistory('/projects/b', env).prompts()).toEqual([]);
});

test('only the user can read the file, and secrets are not in it', async () => {
  const { env, folder } = await surroundings();
  await promptHistory('/projects/a', env).add(`the key is ${env.OPENAI_API_KEY}`);
  const [name = ''] = await readdir(folder);
  const { mode } = await stat(join(folder, name));
  expect(mode & 0o777).toBe(0o600);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect(await readFile(join(folder, name), 'utf8')).toContain('the key is [secret OPENAI_API_KEY]');
});

test('lines that are none are passed over, and a file that has grown is written anew', async () => {
  const { env, folder } = await surroundings();
  const history = promptHistory('/projects/a', env);
  await history.add('first');
  const [name = ''] = await readdir(folder);
  const long = JSON.stringify('x'.repeat(9_000));
  await writeFile(join(folder, name), `not JSON\n7\n${`${long}\n`.repeat(300)}{"torn`);
  await history.add('last');
  const prompts = await history.prompts();
  expect(prompts.at(-1)).toBe('last');
  expect(prompts).toHaveLength(200);
  expect((await stat(join(folder, name))).size).toBeLessThan(2_000_000);
  expect(await readdir(folder)).toHaveLength(1);
});

test('a folder that cannot be written is no reason to stop', async () => {
  await promptHistory('/projects/a', { XDG_STATE_HOME: '/dev/null' }).add('first');
});
