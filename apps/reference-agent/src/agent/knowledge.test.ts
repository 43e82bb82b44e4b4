import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Conversation } from '@palimpsest/agent';
import { copyBuiltInTemplates } from '@palimpsest/agent/node';
import { loadPrompts } from '@palimpsest/agent/prompts';
import type { LLM } from '@palimpsest/llm-adapters';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { openWorkspace } from '@palimpsest/tools';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { chatServer, says } from '../../test-support/chat-server.js';
import { temporaryFolder, writeFiles } from '../../test-support/folders.js';
import { headlessRig } from '../../test-support/headless-rig.js';
import { openWire } from '../../test-support/wire.js';
import { defaultSettings } from '../settings/settings.js';
import type { Settings } from '../settings/settings.js';
import { codingAgent } from './coding-agent.js';
import { promptTemplates, systemPromptFile } from './knowledge.js';

const skillText = 'Deploy with make ship, after references/steps.md.';

let base: string;
let root: string;
beforeEach(async () => {
  base = await temporaryFolder();
  root = join(base, 'work');
  await mkdir(root);
});

const put = (file: string, text: string) => writeFiles(root, { [file]: text });

async function agentFor(llm: LLM, context: Partial<Settings['context']> = {}) {
  const workspace = await openWorkspace(root);
  const session = { folder: base, outputs: join(base, 'outputs'), files: join(base, 'files') };
  const settings = { ...defaultSettings, context: { ...defaultSettings.context, ...context } };
  const coding = await codingAgent({
    workspace,
    settings,
    llm,
    session,
    yolo: true,
    env: { HOME: base, XDG_CONFIG_HOME: join(base, '.config'), PATH: process.env['PATH'] },
  });
  onTestFinished(() => coding.close());
  return coding;
}

interface Call {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}
type Reply = string | Call;

const read = (path: string): Call => ({ name: 'read_file', input: { path } });
const bigFiles = Array.from({ length: 12 }, (_, index) => `src/f${index}.txt`);
/** A skill is loaded and used, much else is read, and the user goes on. */
const script: readonly Reply[] = [
  { name: 'load_skill', input: { name: 'deploy' } },
  { name: 'load_skill', input: { name: 'deploy', file: 'references/steps.md' } },
  ...bigFiles.map(read),
  'Read.',
  'Deployed by make ship.',
];

/** The messages of a request, without the marks of the cache, which move. */
const messagesOf = (body: unknown): readonly string[] => {
  const { system, messages } = body as Readonly<Record<string, unknown>>;
  return [system, ...(messages as readonly unknown[])].map((message) =>
    JSON.stringify(message, (key, value: unknown) => (key === 'cache_control' ? undefined : value)),
  );
};

test('a skill is listed, loaded, used, forgotten by a condensation, and back', async () => {
  await put('AGENTS.md', 'Use tabs.');
  await put('.agents/skills/deploy/SKILL.md', `---\nname: deploy\ndescription: How to deploy.\n---\n${skillText}\n`);
  await put('.agents/skills/deploy/references/steps.md', 'First, build.');
  for (const file of bigFiles) await put(file, `line of ${file}\n`.repeat(200));
  const { server, llm } = await openWire('messages', 'claude-opus-5-5', (_, index) => {
    const reply = script[index] ?? 'Done.';
    return typeof reply === 'string' ? { text: reply } : { calls: [{ id: `call_${index}`, ...reply }] };
  });
  const { conversation: options, notes } = await agentFor(llm);
  expect(notes.filter((note) => note.includes('skill'))).toEqual([]);
  const conversation = await Conversation.open(options);
  await conversation.send('Read everything.');
  await conversation.run();
  const first = server.requests.map(({ body }) => messagesOf(body));
  expect(first).toHaveLength(script.length - 1);
  // Listed, not shown; loaded by the model; nothing that was sent changes afterwards.
  expect(first[0]?.join('')).toContain('- deploy: How to deploy.');
  expect(first[0]?.join('')).toContain('Use tabs.');
  expect(first[0]?.join('')).not.toContain(skillText);
  expect(first[1]?.join('')).toContain(skillText);
  expect(first[2]?.join('')).toContain('First, build.');
  for (const [index, messages] of first.entries()) {
    expect(messages.slice(0, first[index - 1]?.length ?? 0)).toEqual(first[index - 1] ?? []);
  }

  await conversation.condense();
  await conversation.send('Now deploy.');
  expect((await conversation.run()).answer).toBe('Deployed by make ship.');
  const last = messagesOf(server.requests.at(-1)?.body);
  expect(last.length).toBeLessThan(first.at(-1)?.length ?? 0);
  // Whole and once, whatever the digest quotes of its lines.
  const [, again = ''] = last.join('').split('You loaded the skill deploy earlier');
  expect(again.split(skillText)).toHaveLength(2);
  for (const told of ['- deploy: How to deploy.', 'Use tabs.', 'Now deploy.']) expect(last.join('')).toContain(told);
});

test('the user’s skills and instructions are found beside the workspace’s, and what is wrong is told', async () => {
  await put('../.claude/skills/review/SKILL.md', '---\ndescription: Reviews.\n---\nLook twice.');
  await put('../.config/palimpsest/AGENTS.md', 'Answer in French.');
  await put('../more/audit/SKILL.md', '---\ndescription: Audits.\n---\nLook thrice.');
  await put('.palimpsest/skills/bad/SKILL.md', 'No front matter.');
  const llm = scriptedLLM({ script: ['Done.'] });
  const coding = await agentFor(llm, { skillFolders: [join(base, 'more')], disabledSkills: ['review'] });
  expect(coding.notes).toContainEqual(expect.stringMatching(/bad\/SKILL\.md' begins with no front matter/));
  const conversation = await Conversation.open(coding.conversation);
  await conversation.send('/audit the code');
  await conversation.run();
  const text = JSON.stringify(llm.requests[0]?.messages);
  for (const told of ['Answer in French.', '- audit: Audits.', 'Look thrice.']) expect(text).toContain(told);
  expect(text).not.toContain('Reviews.');
});

test('a command can read the scripts of a skill of the user, in a sandbox too', async () => {
  await put('../.claude/skills/review/SKILL.md', '---\ndescription: Reviews.\n---\nRun scripts/run.sh.');
  await put('../.claude/skills/review/scripts/run.sh', 'echo reviewed');
  const script = join(base, '.claude/skills/review/scripts/run.sh');
  const call = { name: 'run_command', arguments: { command: `sh '${script}'` } };
  const llm = scriptedLLM({ script: [{ toolCalls: [call] }, 'Done.'] });
  const conversation = await Conversation.open((await agentFor(llm)).conversation);
  await conversation.send('/review');
  await conversation.run();
  expect(JSON.stringify(llm.requests[1]?.messages.at(-1))).toContain('reviewed');
});

test('without skills there is no tool for them', async () => {
  const llm = scriptedLLM({ script: ['Done.'] });
  const { conversation: options } = await agentFor(llm);
  expect([...options.agent.tools.keys()]).not.toContain('load_skill');
  expect(options.agent.systemPrompt).toContain('<PERMISSIONS>');
});

/** A workspace, a folder of templates beside it, and a model that is sent prompts. */
async function place(files: Readonly<Record<string, string>> = {}) {
  const server = await chatServer({ reply: () => says('Done.') });
  const rig = await headlessRig({}, { model: 'local', baseUrl: server.baseURL });
  const folder = join(rig.workspace, '../templates');
  await mkdir(folder);
  await writeFiles(folder, files);
  return { ...rig, server, folder, sent: () => JSON.stringify(server.requests.at(-1)?.body) };
}

test('the templates of a folder that a flag names are taken, and ours beside them', async () => {
  const { run, sent } = await place({
    'system_prompt.j2': "You are Ada. {% include 'security.j2' %}",
    'security.j2': 'Stay safe{% if cli_mode %} on the command line{% endif %}.',
  });
  expect(await run({ print: 'Look.', templateFolder: '../templates' })).toMatchObject({ status: 0 });
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
  const { run, env, configure, sent } = await place();
  await configure('templateFolder = "mine"');
  await writeFiles(env['XDG_CONFIG_HOME'] ?? '', { 'palimpsest/mine/system_prompt_coding.j2': 'You are Ada.' });
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
