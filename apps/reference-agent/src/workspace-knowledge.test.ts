import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Conversation } from '@palimpsest/agent';
import type { LLM } from '@palimpsest/llm-adapters';
import { anthropicLLM } from '@palimpsest/llm-adapters/anthropic';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { anthropicServer, openaiServer } from '@palimpsest/provider-servers';
import type { ProviderServer } from '@palimpsest/provider-servers';
import { openWorkspace } from '@palimpsest/tools';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { codingAgent } from './coding-agent.js';
import { defaultSettings } from './settings/settings.js';
import type { Settings } from './settings/settings.js';

const apiKey = 'sk-test-0123456789abcdef';
const skillText = 'Deploy with make ship, after references/steps.md.';

let base: string;
let root: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'palimpsest-knowledge-')));
  onTestFinished(() => rm(base, { recursive: true }));
  root = join(base, 'work');
  await mkdir(root);
});

async function put(file: string, text: string): Promise<void> {
  const path = resolve(root, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

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

const providers: Readonly<Record<string, () => Promise<{ server: ProviderServer; llm: LLM }>>> = {
  Messages: async () => {
    const server = await anthropicServer({
      apiKey,
      reply: (_body, index) => {
        const reply = script[index] ?? 'Done.';
        const content =
          typeof reply === 'string'
            ? { type: 'text', text: reply }
            : { type: 'tool_use', id: `toolu_${index}`, ...reply };
        return { content: [content] };
      },
    });
    return { server, llm: anthropicLLM({ model: 'claude-opus-5-5', apiKey, baseURL: server.url }) };
  },
  Responses: async () => {
    const server = await openaiServer({
      apiKey,
      reply: (_body, index) => {
        const reply = script[index] ?? 'Done.';
        if (typeof reply === 'string') return { message: { content: reply } };
        const call = { name: reply.name, arguments: JSON.stringify(reply.input) };
        return { message: { content: null, tool_calls: [{ id: `call_${index}`, type: 'function', function: call }] } };
      },
    });
    return {
      server,
      llm: openaiLLM({ model: 'gpt-6.1-sol', server: 'openai', api: 'responses', apiKey, baseURL: server.url }),
    };
  },
};

/** The messages of a request, without the marks of the cache, which move. */
const messagesOf = (body: unknown): readonly string[] => {
  const { system, messages, instructions, input } = body as Readonly<Record<string, unknown>>;
  return [system ?? instructions ?? null, ...((messages ?? input) as readonly unknown[])].map((message) =>
    JSON.stringify(message, (key, value: unknown) =>
      /^(cache_control|prompt_cache_breakpoint)$/.test(key) ? undefined : value,
    ),
  );
};

test.each(Object.keys(providers))(
  'over %s a skill is listed, loaded, used, forgotten by a condensation, and back',
  async (name) => {
    await put('AGENTS.md', 'Use tabs.');
    await put('.agents/skills/deploy/SKILL.md', `---\nname: deploy\ndescription: How to deploy.\n---\n${skillText}\n`);
    await put('.agents/skills/deploy/references/steps.md', 'First, build.');
    for (const file of bigFiles) await put(file, `line of ${file}\n`.repeat(200));
    const { server, llm } = await (providers[name] as () => ReturnType<(typeof providers)[string]>)();
    onTestFinished(() => server.close());
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
    expect(last.join('').split(skillText)).toHaveLength(2);
    expect(last.join('')).toContain('You loaded the skill deploy earlier');
    for (const told of ['- deploy: How to deploy.', 'Use tabs.', 'Now deploy.']) expect(last.join('')).toContain(told);
  },
);

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
