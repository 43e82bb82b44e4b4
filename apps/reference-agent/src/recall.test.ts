import { Agent, Conversation } from '@palimpsest/agent';
import { extractiveSummaryCondenser, observationMaskingCondenser, pipelineCondenser } from '@palimpsest/condensers';
import { defineTool, toolResultContent } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import { anthropicLLM } from '@palimpsest/llm-adapters/anthropic';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import { anthropicServer, openaiServer } from '@palimpsest/provider-servers';
import { withRecall } from '@palimpsest/relevance-tool';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';

/**
 * An agent over the real SDKs and HTTP whose model reads many files, needs a number of the first one when that is hidden, recalls it,
 * and writes it down. The model knows nothing but what it is sent.
 */

const apiKey = 'sk-test-0123456789abcdef';
const contextWindow = 20_000;
const reads = 14;
const secret = 'port = 48213';
const text = (path: string) =>
  `${path}\n${'export const line = 1;\n'.repeat(60)}${path === 'src/0.ts' ? secret : 'end'}\n`;

interface Call {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

type Way = 'address' | 'path' | 'query';

/** What the model does next, from the text of the request alone: read on, ask for the first file, write down the number. */
function nextCall(way: Way, request: unknown, index: number): Call | undefined {
  const sent = JSON.stringify(request);
  if (index < reads) return { name: 'read', input: { path: `src/${index}.ts` } };
  if (index === reads) {
    if (sent.includes(secret)) throw new Error('the first file is not hidden');
    const address = /src\/0\.ts.*?\(address (\w{8})\)/.exec(sent)?.[1] ?? 'none';
    return {
      name: 'recall',
      input: { address: { address }, path: { path: 'src/0.ts' }, query: { query: 'port' } }[way],
    };
  }
  if (index > reads + 1) return undefined;
  return { name: 'write', input: { text: /port = \d+/.exec(sent)?.[0] ?? 'not found' } };
}

async function anthropicModel(way: Way): Promise<LLM> {
  const server = await anthropicServer({
    apiKey,
    contextWindow,
    reply: (request, index) => {
      const call = nextCall(way, request, index);
      if (call === undefined) return { content: [{ type: 'text', text: 'Done.' }] };
      return { content: [{ type: 'tool_use', id: `toolu_${index}`, ...call }] };
    },
  });
  onTestFinished(() => server.close());
  const retry = { minDelayMs: 1 };
  return anthropicLLM({
    model: 'claude-opus-4-8',
    apiKey,
    baseURL: server.url,
    contextWindow,
    maxOutputTokens: 1_000,
    retry,
  });
}

async function openaiModel(way: Way, api: 'responses' | 'chat-completions'): Promise<LLM> {
  const server = await openaiServer({
    apiKey,
    contextWindow,
    reply: (request, index) => {
      const call = nextCall(way, request, index);
      if (call === undefined) return { message: { content: 'Done.' } };
      const made = { name: call.name, arguments: JSON.stringify(call.input) };
      if (api === 'responses') return { output: [{ type: 'function_call', call_id: `call_${index}`, ...made }] };
      return { message: { tool_calls: [{ id: `call_${index}`, type: 'function', function: made }] } };
    },
  });
  onTestFinished(() => server.close());
  const model = api === 'responses' ? 'gpt-6.1-sol' : 'gpt-4o';
  const retry = { minDelayMs: 1 };
  return openaiLLM({
    model,
    api,
    server: 'openai',
    apiKey,
    baseURL: server.url,
    contextWindow,
    maxOutputTokens: 1_000,
    retry,
  });
}

async function work(
  llm: LLM,
  condenser = masks(),
): Promise<{ readonly written: readonly string[]; readonly events: readonly Event[] }> {
  const written: string[] = [];
  const read = defineTool({
    name: 'read',
    description: 'Reads a file.',
    input: z.object({ path: z.string() }),
    execute: ({ path }) => text(path),
  });
  const write = defineTool({
    name: 'write',
    description: 'Writes something down.',
    input: z.object({ text: z.string() }),
    execute: (input) => {
      written.push(input.text);
      return 'Written.';
    },
  });
  const agent = new Agent({ llm, systemPrompt: 'Work.', tools: withRecall([read, write], { condenser }), condenser });
  const conversation = await Conversation.open({ agent, stuckDetection: false });
  await conversation.send('Read all, then write down the port.');
  await conversation.run();
  return { written, events: [...conversation.events] };
}

const masks = () => observationMaskingCondenser({ attentionWindow: 6, minSavedTokens: 1_000 });
const summary = () => extractiveSummaryCondenser({ maxSize: 16, keepFirst: 1, maxSummaryTokens: 400 });

const models: readonly (readonly [string, (way: Way) => Promise<LLM>])[] = [
  ['Anthropic', anthropicModel],
  ['OpenAI, Responses', (way) => openaiModel(way, 'responses')],
  ['OpenAI, Chat Completions', (way) => openaiModel(way, 'chat-completions')],
];

describe.each(models)('%s', (_, model) => {
  test('what a mask hides comes back by the address that the mask names', async () => {
    expect((await work(await model('address'))).written).toEqual([secret]);
  });

  test.each(['path', 'query'] as const)('what was forgotten comes back by %s', async (way) => {
    const { written, events } = await work(await model(way), pipelineCondenser([masks(), summary()]));
    expect(events.some((event) => event.type === 'condensation' && event.forgottenEventIds.length > 0)).toBe(true);
    expect(written).toEqual([secret]);
  });
});

test('the list of tools is the same from the first call on', async () => {
  const tools: unknown[] = [];
  const llm = await anthropicModel('path');
  const watched: LLM = {
    ...llm,
    complete: (request) => {
      tools.push(request.tools?.map(({ name }) => name));
      return llm.complete(request);
    },
  };
  const { events } = await work(watched, pipelineCondenser([masks(), summary()]));
  expect(new Set(tools.map((list) => JSON.stringify(list)))).toEqual(
    new Set([tools.map((list) => JSON.stringify(list))[0]]),
  );
  expect(JSON.stringify(tools[0])).toContain('"recall"');
  const answer = events.find((event) => event.type === 'observation' && event.toolName === 'recall');
  const said = answer?.type === 'observation' ? JSON.stringify(toolResultContent(answer)) : '';
  expect(said).toContain('no longer in the conversation');
});
