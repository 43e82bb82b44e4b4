import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { anthropicServer, openaiServer } from '@palimpsest/provider-servers';
import type { ProviderServer } from '@palimpsest/provider-servers';
import { expect, onTestFinished, test } from 'vitest';
import { eventsOf, headlessRig } from '../test-support/headless-rig.js';

/**
 * A whole task over the real SDKs and HTTP: in a repository a failing test is found, its cause is repaired, and the test is run
 * again. On the way the window overflows, a result is marked, what is hidden is recalled, and a command is denied.
 */

interface Turn {
  readonly say: string;
  readonly calls: readonly { readonly tool: string; readonly input: object }[];
}

const test1 = "import test from 'node:test';\nimport assert from 'node:assert';\n";
const lines = (name: string) =>
  Array.from({ length: 150 }, (_, line) => `export const ${name}${line} = ${line}; // a line of ${name}`).join('\n');
const modules = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta'];
const repository: Readonly<Record<string, string>> = {
  'package.json': '{"name":"sums","type":"module","scripts":{"test":"node --test"}}',
  'src/sum.js': 'export const sum = (left, right) => left - right;\n',
  'test/sum.test.js': `${test1}import { sum } from '../src/sum.js';\ntest('sum', () => assert.equal(sum(1, 2), 3));\n`,
  ...Object.fromEntries(modules.map((name) => [`src/${name}.js`, lines(name)])),
};
const configuration = `
[permissions]
allow = ["run_command(node --test)", "edit_file(src/**)"]
`;

const use = (tool: string, input: object = {}) => ({ tool, input });

/** What the model does: by the number of its turn, and by what it reads. */
function turnOf(index: number, read: string): Turn {
  // The description of the tool shows a label, too.
  const labels = [...read.matchAll(/\[event_id: (\w+)\]/g)]
    .map(([, label]) => label)
    .filter((label) => label !== '7k2m9qxa');
  const script: readonly (() => Turn)[] = [
    () => ({ say: 'I look around.', calls: [use('list_files')] }),
    () => ({ say: 'I run the tests.', calls: [use('run_command', { command: 'node --test' })] }),
    ...modules.map((name) => () => ({ say: `I read ${name}.`, calls: [use('read_file', { path: `src/${name}.js` })] })),
    () => ({
      say: 'The last file is of no use.',
      calls: [use('relevance_condenser', { event_id: labels.at(-2), summary_text: 'Only constants.' })],
    }),
    () => ({ say: 'I clean up.', calls: [use('run_command', { command: 'touch forbidden' })] }),
    () => ({ say: 'What was in alpha?', calls: [use('recall', { path: 'src/alpha.js' })] }),
    () => ({ say: 'I read the sum.', calls: [use('read_file', { path: 'src/sum.js' })] }),
    () => ({
      say: 'It subtracts.',
      calls: [use('edit_file', { path: 'src/sum.js', old_text: 'left - right', new_text: 'left + right' })],
    }),
    () => ({ say: 'I run the tests again.', calls: [use('run_command', { command: 'node --test' })] }),
    () => ({ say: 'Done.', calls: [use('finish', { message: 'The sum added nothing; now it does.' })] }),
  ];
  return script[index]?.() ?? { say: 'There is nothing more to do.', calls: [] };
}

/** The window of the servers, which overflows once half of the modules have been read. Unit: tokens. */
const contextWindow = 14_000;

const ofOpenAI = async (responseId?: () => string) => {
  const server = await openaiServer({
    profile: 'llama.cpp',
    contextWindow,
    responseId,
    reply: (body, index) => {
      const { say, calls } = turnOf(index, JSON.stringify(body));
      const tool_calls = calls.map(({ tool, input }, n) => ({
        id: `call_${index}_${n}`,
        type: 'function',
        function: { name: tool, arguments: JSON.stringify(input) },
      }));
      return { message: { content: say, ...(calls.length === 0 ? {} : { tool_calls }) } };
    },
  });
  return { server, model: 'local' };
};

const ofAnthropic = async () => {
  const server = await anthropicServer({
    contextWindow,
    reply: (body, index) => {
      const { say, calls } = turnOf(index, JSON.stringify(body));
      const thinking = { type: 'thinking', thinking: `Turn ${index}.`, signature: '' };
      const uses = calls.map(({ tool, input }, n) => ({
        type: 'tool_use',
        id: `toolu_${index}_${n}`,
        name: tool,
        input,
      }));
      return { content: [thinking, { type: 'text', text: say }, ...uses] };
    },
  });
  return { server, model: 'anthropic:claude-opus-4-6' };
};

type Flow = () => Promise<{ readonly server: ProviderServer; readonly model: string }>;
const flows: readonly (readonly [string, Flow])[] = [
  ['OpenAI', () => ofOpenAI()],
  ['OpenAI, with one id for all answers', () => ofOpenAI(() => 'chatcmpl-0')],
  ['Anthropic, with signed thinking', ofAnthropic],
];

test.each(flows)('a failing test is found, repaired and run again: %s', async (_, flow) => {
  const { server, model } = await flow();
  onTestFinished(() => server.close());
  const rig = await headlessRig(repository, { model, baseUrl: server.url, yolo: false });
  const config = join(rig.env['XDG_CONFIG_HOME'] ?? '', 'palimpsest', 'config.toml');
  await mkdir(dirname(config), { recursive: true });
  await writeFile(config, configuration);

  const ran = await rig.run({ print: 'A test fails. Repair it.' });

  expect(ran.events.at(-1)).toMatchObject({ status: 'done', answer: 'The sum added nothing; now it does.' });
  expect(await readFile(join(rig.workspace, 'src/sum.js'), 'utf8')).toContain('left + right');
  const results = eventsOf(ran, 'tool-result');
  const commands = results.filter(({ name }) => name === 'run_command');
  expect(commands.map(({ status, exitStatus }) => exitStatus ?? status)).toEqual([1, 'denied', 0]);
  expect(existsSync(join(rig.workspace, 'forbidden'))).toBe(false);
  expect(results.find(({ name }) => name === 'relevance_condenser')).toMatchObject({ status: 'ok' });
  expect(results.find(({ name }) => name === 'recall')?.text).toContain('a line of alpha');
  expect(eventsOf(ran, 'condensation').length).toBeGreaterThan(0);
  expect(eventsOf(ran, 'condensation-request').length).toBeGreaterThan(0);
});

test('a session changes its model: to another one that thinks, and to one of another provider', async () => {
  const think = (text: string) => ({ type: 'thinking', thinking: text, signature: '' });
  const anthropic = await anthropicServer({
    reply: (_, index) =>
      index === 0
        ? { content: [think('First.'), { type: 'tool_use', id: 'toolu_1', name: 'list_files', input: {} }] }
        : { content: [think('Then.'), { type: 'text', text: `Answer ${index}.` }] },
  });
  onTestFinished(() => anthropic.close());
  const rig = await headlessRig({ 'a.txt': 'a' }, { baseUrl: anthropic.url });
  const first = await rig.run({ print: 'Look.', model: 'anthropic:claude-opus-4-6' });
  const id = eventsOf(first, 'init')[0]?.session;
  const second = await rig.resume(id, { print: 'Again.', model: 'anthropic:claude-sonnet-4-6' });
  expect(second.events.at(-1)).toMatchObject({ status: 'done', answer: 'Answer 2.' });

  const openai = await openaiServer({ profile: 'llama.cpp', reply: () => ({ message: { content: 'Mine.' } }) });
  onTestFinished(() => openai.close());
  const third = await rig.resume(id, { print: 'And you?', model: 'local', baseUrl: openai.url });
  expect(third.events.at(-1)).toMatchObject({ status: 'done', answer: 'Mine.' });
  const back = await rig.resume(id, { print: 'Back.', model: 'anthropic:claude-opus-4-6' });
  expect(back.events.at(-1)).toMatchObject({ status: 'done', answer: 'Answer 3.' });
});
