import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { copyBuiltInTemplates } from '@palimpsest/agent/node';
import { loadPrompts } from '@palimpsest/agent/prompts';
import { expect, test } from 'vitest';
import { chatServer, says } from '../test-support/chat-server.js';
import { startCli } from '../test-support/cli-process.js';
import { headlessRig } from '../test-support/headless-rig.js';
import { promptTemplates, systemPromptFile } from './prompt-templates.js';

/** A workspace, a folder of templates beside it, and a model that is sent prompts. */
async function place(files: Readonly<Record<string, string>> = {}) {
  const server = await chatServer({ reply: () => says('Done.') });
  const rig = await headlessRig({}, { model: 'local', baseUrl: server.url });
  const folder = join(rig.workspace, '../templates');
  await mkdir(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return { ...rig, server, folder, sent: () => JSON.stringify(server.requests.at(-1)?.body) };
}

test('the built command takes the templates of a folder that a flag names, and keeps ours beside them', async () => {
  const { workspace, server, env, sent } = await place({
    'system_prompt.j2': "You are Ada. {% include 'security.j2' %}",
    'security.j2': 'Stay safe{% if cli_mode %} on the command line{% endif %}.',
  });
  const flags = ['-p', 'Look.', '--model', 'local', '--base-url', server.url, '--template-folder', '../templates'];
  const { ended, stderr } = startCli(flags, { cwd: workspace, env });
  expect(await ended, stderr()).toBe(0);
  expect(sent()).toContain('You are Ada. Stay safe on the command line.');
  // Ours: the facts of the workspace.
  expect(sent()).toContain('<RUNTIME_INFORMATION>');
});

test('a copy of ours changes nothing; one of its files may be changed', async () => {
  const { folder } = await place();
  const rendered = async (from?: string) => {
    const templates = await promptTemplates(from);
    return (await loadPrompts({ templates, systemPrompt: systemPromptFile, cliMode: true })).systemPrompt();
  };
  await copyBuiltInTemplates(folder);
  expect(await rendered(folder)).toBe(await rendered());
  await writeFile(join(folder, 'security.j2'), 'Stay safe.');
  expect(await rendered(folder)).toContain('Stay safe.');
});

test('a setting of the user names the folder, from where their file is', async () => {
  const { run, env, sent } = await place();
  const config = join(env['XDG_CONFIG_HOME'] ?? '', 'palimpsest/config.toml');
  await mkdir(join(dirname(config), 'mine'), { recursive: true });
  await writeFile(config, 'templateFolder = "mine"');
  await writeFile(join(dirname(config), 'mine/system_prompt_coding.j2'), 'You are Ada.');
  await run({ print: 'Look.' });
  expect(sent()).toContain('You are Ada.');
});

test.each([
  ['is not there', 'nowhere', {}, /templateFolder: '.*nowhere' cannot be read: ENOENT/],
  [
    'holds no template',
    '../templates',
    { 'prompt.j2': 'x' },
    /holds no template that is used. Those are: system_prompt/,
  ],
  ['holds a broken one', '../templates', { 'user_prompt.j2': '{% if' }, /user_prompt\.j2.* does not parse/],
])('a folder that %s is an error before the first request', async (_, templateFolder, files, message) => {
  const { run, server } = await place(files);
  await expect(run({ print: 'Look.', templateFolder })).rejects.toThrow(message);
  expect(server.requests).toEqual([]);
});
