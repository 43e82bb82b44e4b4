import { extractiveSummaryCondenser, observationMaskingCondenser } from '@palimpsest/condensers';
import { openaiServer } from '@palimpsest/provider-servers';
import type { OpenAIServerOptions, ProviderServer } from '@palimpsest/provider-servers';
import OpenAI from 'openai';
import { afterEach, expect, it } from 'vitest';
import type { ChatMessage } from '../test-support/chat-loop.js';
import type { ResponsesItem } from '../test-support/responses-loop.js';
import { chatMessages, condensedHistory, responsesItems } from './index.js';
import type { CondensedHistory } from './index.js';

const servers: ProviderServer[] = [];
/** Loops of half the length but where CI tests thoroughly: they still condense again and again. */
const share = process.env['PALIMPSEST_THOROUGH'] === 'true' ? 1 : 0.5;
const chatTools: OpenAI.Chat.ChatCompletionTool[] = [
  { type: 'function', function: { name: 'read', parameters: { type: 'object' } } },
];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function modelServer(options: Partial<OpenAIServerOptions> = {}) {
  const server = await openaiServer({
    ...options,
    reply: (_, index) => ({
      message: {
        role: 'assistant',
        content: index % 4 === 0 ? `Step ${index}.` : null,
        reasoning_content: `Thought ${index}.`,
        tool_calls: Array.from({ length: index % 3 === 2 ? 2 : 1 }, (_, call) => ({
          id: `call_${index}_${call}`,
          type: 'function',
          function: { name: 'read', arguments: JSON.stringify({ path: `src/${index}-${call}.ts` }) },
        })),
      },
    }),
  });
  servers.push(server);
  return { server, client: new OpenAI({ baseURL: server.baseURL, apiKey: 'key', maxRetries: 0 }) };
}

/** Counts how often what was sent is not the beginning of what is sent next. */
function rewritesOf(sent: readonly (readonly unknown[])[]): number {
  return sent.filter((messages, index) =>
    (sent[index - 1] ?? []).some((message, place) => JSON.stringify(message) !== JSON.stringify(messages[place])),
  ).length;
}

/** A host's loop on Chat Completions: its list, what was sent of it, and how often it was condensed. */
async function chatLoop(
  history: CondensedHistory<ChatMessage>,
  client: OpenAI,
  { steps, words }: { readonly steps: number; readonly words: number },
) {
  const list: ChatMessage[] = [
    { role: 'system', content: 'You are an agent.' },
    { role: 'user', content: 'Read.' },
  ];
  const sent: ChatMessage[][] = [];
  let condensed = 0;
  for (let step = 0; step < steps; step++) {
    const before = structuredClone(list);
    const { messages, condensations } = await history.fit(list, { tools: chatTools });
    expect(list).toEqual(before);
    condensed += condensations.length;
    sent.push(messages);
    addAnswer(list, await client.chat.completions.create({ model: 'gpt-4o', messages, tools: chatTools }), words);
  }
  return { list, sent, condensed };
}

function addAnswer(list: ChatMessage[], { choices }: OpenAI.Chat.ChatCompletion, words: number): void {
  const message = choices[0]?.message;
  if (message === undefined) throw new Error('no answer');
  list.push(message);
  for (const { id } of message.tool_calls ?? [])
    list.push({ role: 'tool', tool_call_id: id, content: `${id}: ${'word '.repeat(words)}` });
}

it('a loop on Chat Completions is never refused, and rewritten only by condensations', async () => {
  const { server, client } = await modelServer();
  const condenser = extractiveSummaryCondenser({ maxSize: 40, keepFirst: 2 });
  const history = condensedHistory({ condenser, codec: chatMessages(), model: 'gpt-4o' });
  const { list, sent, condensed } = await chatLoop(history, client, { steps: 80 * share, words: 200 });
  expect(server.requests).toHaveLength(80 * share);
  expect(condensed).toBeGreaterThan(4 * share);
  expect(rewritesOf(sent)).toBe(condensed);
  expect(sent.at(-1)?.filter((message) => !list.includes(message))).toHaveLength(1);
});

it('a loop on the Responses API is never refused, with its reasoning, and rewritten only by condensations', async () => {
  const { server, client } = await modelServer();
  const history = condensedHistory({
    condenser: extractiveSummaryCondenser({ maxSize: 40, keepFirst: 2 }),
    codec: responsesItems(),
    model: 'gpt-6.2-sol',
  });
  const tools: OpenAI.Responses.FunctionTool[] = [
    { type: 'function', name: 'read', parameters: { type: 'object' }, strict: false },
  ];
  const list: ResponsesItem[] = [{ role: 'user', content: 'Read.' }];
  const sent: ResponsesItem[][] = [];
  let condensed = 0;
  for (let step = 0; step < 80 * share; step++) {
    const before = structuredClone(list);
    const { messages, condensations } = await history.fit(list, { system: 'You are an agent.', tools });
    expect(list).toEqual(before);
    condensed += condensations.length;
    sent.push(messages);
    const response = await client.responses.create({
      model: 'gpt-6.2-sol',
      store: false,
      include: ['reasoning.encrypted_content'],
      instructions: 'You are an agent.',
      input: messages,
      tools,
    });
    list.push(...(response.output as ResponsesItem[]));
    for (const item of response.output) {
      if (item.type !== 'function_call') continue;
      list.push({
        type: 'function_call_output',
        call_id: item.call_id,
        output: `${item.call_id}: ${'word '.repeat(200)}`,
      });
    }
  }
  expect(server.requests).toHaveLength(80 * share);
  expect(condensed).toBeGreaterThan(4 * share);
  expect(rewritesOf(sent)).toBe(condensed);
  expect(sent.at(-1)?.filter((item) => !list.includes(item))).toHaveLength(1);
  expect(sent.at(-1)?.some((item) => 'type' in item && item.type === 'reasoning')).toBe(true);
});

it('an overflow is answered by a harder fit', async () => {
  const { server, client } = await modelServer({ contextWindow: 9_000 });
  const condenser = observationMaskingCondenser();
  const history = condensedHistory({ condenser, codec: chatMessages(), model: 'gpt-4o' });
  const list: ChatMessage[] = [
    { role: 'system', content: 'You are an agent.' },
    { role: 'user', content: 'Read.' },
  ];
  for (let step = 0; step < 30; step++) {
    const answer = await history.withOverflow(
      list,
      (messages) => client.chat.completions.create({ model: 'gpt-4o', messages, tools: chatTools }),
      { tools: chatTools },
    );
    addAnswer(list, answer, 800);
  }
  expect(server.requests.length).toBeGreaterThan(30);
  expect(list.filter(({ role }) => role === 'assistant')).toHaveLength(30);
});

it.each(['strict-template', 'deepseek', 'vllm-qwen', 'kimi'] as const)(
  'a loop on a server like %s is never refused',
  async (profile) => {
    const { server, client } = await modelServer({ profile });
    const history = condensedHistory({
      condenser: extractiveSummaryCondenser({ maxSize: 30, keepFirst: 2 }),
      codec: chatMessages({ alternates: profile === 'strict-template' }),
      contextWindow: 100_000,
    });
    const { condensed } = await chatLoop(history, client, { steps: 40, words: 100 });
    expect(server.requests).toHaveLength(40);
    expect(condensed).toBeGreaterThan(2);
  },
);
