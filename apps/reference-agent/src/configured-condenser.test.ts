import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, Conversation } from '@palimpsest/agent';
import { loadCondenserConfigFile } from '@palimpsest/condensers/node';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import { openaiServer } from '@palimpsest/provider-servers';
import type { LLM } from '@palimpsest/llm-adapters';
import { expect, onTestFinished, test } from 'vitest';
import { defaultCondenser } from './default-condenser.js';

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
