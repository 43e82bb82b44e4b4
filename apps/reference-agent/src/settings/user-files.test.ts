import { readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test-support/folders.js';
import { configCommand } from '../cli/config.js';
import { forgetRule, saveRule, savedRules } from './user-files.js';
import { savedRulesFile } from './user-folders.js';

async function user() {
  const folder = await temporaryFolder();
  const env = { XDG_CONFIG_HOME: join(folder, 'config'), HOME: folder };
  return { folder, env, file: savedRulesFile(env) };
}

test('rules are kept by folder, once each, in a file that only the user can read', async () => {
  const { file } = await user();
  expect(await savedRules(file, '/a')).toEqual([]);
  await saveRule(file, '/a', 'run_command(npm test *)');
  await saveRule(file, '/a', 'run_command(npm test *)');
  await saveRule(file, '/b', 'edit_file(src/**)');
  expect(await savedRules(file, '/a')).toEqual(['run_command(npm test *)']);
  expect(await savedRules(file, '/toString')).toEqual([]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await forgetRule(file, '/a', 'other')).toBe(false);
  expect(await forgetRule(file, '/a', 'run_command(npm test *)')).toBe(true);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
    version: 1,
    folders: { '/b': { allow: ['edit_file(src/**)'] } },
  });
  await writeFile(file, '{');
  await expect(savedRules(file, '/b')).rejects.toThrow(/kept-rules\.json: .*cannot be read: repair it, or remove it/);
  await expect(saveRule(file, '/b', 'x')).rejects.toThrow('cannot be read');
  expect(await readFile(file, 'utf8')).toBe('{');
});

test('palimpsest config shows them with their origin, and forgets them, by the real folder', async () => {
  const { folder, env, file } = await user();
  await saveRule(file, folder, 'run_command(npm test *)');
  const link = join(await temporaryFolder(), 'link');
  await symlink(folder, link);
  const config = async (flags: Parameters<typeof configCommand>[0]) => {
    let printed = '';
    await configCommand(flags, { env, cwd: link, stdout: { write: (text) => (printed += text) } });
    return printed;
  };
  const shown = await config({});
  expect(shown).toMatch(/kept +run_command\(npm test \*\)/);
  expect(shown).toContain(`kept: ${file} (rules of your answers in this folder; palimpsest config --forget 'RULE'`);
  expect(await config({ forget: 'run_command(npm test *)' })).toContain('Forgotten: run_command(npm test *)');
  await expect(config({ forget: 'run_command(npm test *)' })).rejects.toThrow('No answer of yours made the rule');
  expect(await config({})).not.toContain('npm test');
});
