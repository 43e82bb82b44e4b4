import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test-support/folders.js';
import { promptHistory } from './prompt-history.js';

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
