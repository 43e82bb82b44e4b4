import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, Conversation } from '@palimpsest/agent';
import { CondenserNotFoundError, InvalidCondenserConfigError } from '@palimpsest/condensers/config';
import { loadCondenserConfigFile } from '@palimpsest/condensers/node';
import type { LLM } from '@palimpsest/llm-adapters';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { openaiServer } from '@palimpsest/provider-servers';
import { expect, onTestFinished, test } from 'vitest';
import { defaultCondenser, settingsCondenser } from './condenser.js';

const given = { llm: scriptedLLM({ script: [] }), env: {} };

test('without settings: the default', async () => {
  expect((await settingsCondenser({}, given)).condenser.name).toBe(defaultCondenser().name);
});

test('only a preset: the default with that preset', async () => {
  const { condenser } = await settingsCondenser({ condenser: { preset: 'cheapest' } }, given);
  expect(condenser.name).toBe(defaultCondenser().name);
  await expect(settingsCondenser({ condenser: { preset: 'cheap' } }, given)).rejects.toThrow(/cheapest/);
});

test('the default is switched off: nothing condenses, unless the settings say what does', async () => {
  const off = { enableDefaultCondenser: false };
  const named = async (condenser?: Record<string, unknown>) =>
    (await settingsCondenser({ ...off, condenser }, given)).condenser.name;
  expect(await named()).toBe('noOp');
  expect(await named({})).toBe('noOp');
  expect(await named({ type: 'recentEvents' })).toBe('recentEvents');
  expect(await named({ preset: 'cheapest' })).toBe(defaultCondenser().name);
});

test('one of ours, a pipeline, and one that asks the model of summaries', async () => {
  const named = async (condenser: Record<string, unknown>) =>
    (await settingsCondenser({ condenser }, given)).condenser.name;
  expect(await named({ type: 'recentEvents', maxSize: 10 })).toBe('recentEvents');
  expect(await named({ type: 'llmSummarizing' })).toBe('llmSummarizing');
  expect(await named({ type: 'pipeline', stages: [{ type: 'observationMasking' }, { type: 'llmSummarizing' }] })).toBe(
    'pipeline',
  );
  await expect(named({ type: 'recent' })).resolves.toBe('recentEvents');
  await expect(named({ type: 'nonsense' })).rejects.toThrow(CondenserNotFoundError);
  await expect(named({ type: 'recentEvents', maxsize: 'x' })).rejects.toThrow(InvalidCondenserConfigError);
});

test('a package and a prompt are found from the folder of the file that names them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-condenser-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const installed = join(folder, 'node_modules/@acme/condenser');
  await mkdir(installed, { recursive: true });
  await writeFile(join(installed, 'package.json'), '{"name":"@acme/condenser","type":"module","exports":"./index.js"}');
  await writeFile(
    join(installed, 'index.js'),
    'export default (options) => ({ name: `acme ${options.size}`, condense: (view) => view });',
  );
  const condenser = { use: '@acme/condenser', options: { size: 3 } };
  const made = await settingsCondenser({ condenser, condenserFolder: folder }, given);
  expect(made.condenser.name).toBe('acme 3');
  await expect(settingsCondenser({ condenser: { use: '../evil' }, condenserFolder: folder }, given)).rejects.toThrow(
    'code is not loaded from a path',
  );
  const prompt = { type: 'llmSummarizing', modelCall: { promptFile: '../../../etc/passwd' } };

  await expect(settingsCondenser({ condenser: prompt, condenserFolder: folder }, given)).rejects.toThrow(
    InvalidCondenserConfigError,
  );
});

async function configured(text: string, llm: LLM) {
  const directory = await mkdtemp(join(tmpdir(), 'palimpsest-config-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const file = join(directory, 'palimpsest.toml');
  await writeFile(file, text);
  await writeFile(join(directory, 'summary.j2'), 'OUR WORDS: {{ transcript }}');
  const modelOf = (name: string): LLM => ({ ...llm, model: name, complete: (request) => llm.complete(request) });
  return loadCondenserConfigFile(file, { defaultLLM: llm, llm: modelOf, defaultCondenser: defaultCondenser() });
}

/** A server that answers every request; what asks for a summary has no system prompt of ours. */
async function model() {
  const server = await openaiServer({
    reply: ({ messages }) => ({
      message: { content: JSON.stringify(messages).includes('You answer.') ? 'An answer.' : 'THE SUMMARY' },
    }),
  });
  onTestFinished(() => server.close());
  const llm = openaiLLM({ model: 'gpt-4o', apiKey: 'sk-test-0123456789abcdef', baseURL: server.url });
  return { server, llm };
}

async function fourRequests(text: string) {
  const { server, llm } = await model();
  const { condenser, notes } = await configured(text, llm);
  const agent = new Agent({ llm, condenser, systemPrompt: 'You answer.' });
  const conversation = await Conversation.open({ agent });
  for (let request = 1; request <= 4; request++) {
    await conversation.send(`Request ${request}. ${'Say something about it. '.repeat(40)}`);
    expect(await conversation.run()).toMatchObject({ status: 'finished' });
  }
  // The summary is written in the background.
  await conversation.settle();
  const condensations = [...conversation.events].filter((event) => event.type === 'condensation');
  return { condensations, notes, server };
}

test('an interval and an overlap are enough: the summary is made by the agent’s own model', async () => {
  const { condensations, notes, server } = await fourRequests(
    '[condenser]\ntype = "slidingWindow"\ncompactionInterval = 3\noverlapSize = 1',
  );
  expect(condensations).toMatchObject([
    { summary: expect.stringContaining('THE SUMMARY') as string, metadata: { model: 'gpt-4o', background: true } },
  ]);
  expect(notes).toEqual([]);
  expect(server.requests).toHaveLength(5);
});

test('the same with the names that they have elsewhere, which is noted', async () => {
  const { condensations, notes } = await fourRequests(
    '[condenser]\ntype = "sliding_window"\ncompaction_interval = 3\noverlap_size = 1',
  );
  expect(condensations).toHaveLength(1);
  expect(notes.map(({ path }) => path)).toEqual([
    'condenser.compaction_interval',
    'condenser.overlap_size',
    'condenser.type',
  ]);
});

test('a named model, and a prompt beside the file', async () => {
  const { llm } = await model();
  const { condenser } = await configured('type = "llmSummarizing"\nllm = "other"\npromptFile = "summary.j2"', llm);
  expect(condenser.name).toBe('llmSummarizing');
});

test.each(['enable_default_condenser = false', '[core]\nenable_default_condenser = false'])(
  'the default is switched off: %j',
  async (text) => {
    const { llm } = await model();
    expect((await configured(text, llm)).condenser.name).toBe('noOp');
  },
);

test('a file that names none has the default', async () => {
  const { llm } = await model();
  expect((await configured('', llm)).condenser.stages?.map(({ name }) => name)).toEqual([
    'relevance',
    'extractiveSummary',
  ]);
});
