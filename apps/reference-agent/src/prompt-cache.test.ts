import { Agent, Conversation } from '@palimpsest/agent';
import { defineTool, memoryEventStore } from '@palimpsest/events';
import type { Event, Usage } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import { sumUsage } from '@palimpsest/llm-adapters';
import { anthropicLLM } from '@palimpsest/llm-adapters/anthropic';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import { anthropicPromptCache, anthropicServer, openaiPromptCache, openaiServer } from '@palimpsest/provider-servers';
import type { ProviderServer, SimulatedPromptCache } from '@palimpsest/provider-servers';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { demoCondenser } from './demo/demo.js';

/**
 * Whole runs over the real SDKs and HTTP with many condensations: what the servers report to have read and written costs at
 * most 1 % more than the same requests with every boundary marked.
 */

/** Enough for five condensations, and for eleven where CI tests thoroughly. */
const steps = process.env['PALIMPSEST_THOROUGH'] === 'true' ? 90 : 48;
const apiKey = 'sk-test-0123456789abcdef';

const read = defineTool({
  name: 'read',
  description: 'Reads a file. '.repeat(100),
  input: z.object({ at: z.number() }),
  annotations: { readOnly: true, parallel: true },
  execute: ({ at }) => `line ${at} of it\n`.repeat(20 + ((at * 7_919) % 400)),
});

/** One to three calls, so that histories end in several results. */
const callsOf = (index: number) =>
  index % (steps / 3) === steps / 3 - 1 ? [] : Array.from({ length: 1 + (index % 3) }, (_, call) => index * 3 + call);

interface Flow {
  readonly server: ProviderServer;
  readonly llm: LLM;
  readonly atBest: SimulatedPromptCache;
}

const flows: Readonly<Record<string, () => Promise<Flow>>> = {
  'Messages, with thinking': async () => {
    const server = await anthropicServer({
      apiKey,
      reply: (_body, index) => ({
        content: [
          { type: 'thinking', thinking: `Step ${index}.`, signature: '' },
          { type: 'text', text: `Step ${index}.` },
          ...callsOf(index).map((at) => ({ type: 'tool_use', id: `toolu_${at}`, name: 'read', input: { at } })),
        ],
      }),
    });
    const llm = anthropicLLM({ model: 'claude-opus-5-5', apiKey, baseURL: server.url });
    return { server, llm, atBest: await anthropicPromptCache({ marks: 'everywhere' }) };
  },
  Responses: async () => {
    const server = await openaiServer({
      apiKey,
      reply: (_body, index) => ({
        message: {
          content: `Step ${index}.`,
          tool_calls: callsOf(index).map((at) => ({
            id: `call_${at}`,
            type: 'function',
            function: { name: 'read', arguments: JSON.stringify({ at }) },
          })),
        },
      }),
    });
    const llm = openaiLLM({ model: 'gpt-6.1-sol', server: 'openai', api: 'responses', apiKey, baseURL: server.url });
    return { server, llm, atBest: openaiPromptCache({ marks: 'everywhere' }) };
  },
};

const cost = (parts: { readonly read: number; readonly written: number; readonly uncached: number }) =>
  parts.read * 0.1 + parts.written * 1.25 + parts.uncached;

test.each(
  Object.keys(flows).flatMap(
    (name) =>
      [
        [name, 'one process', 0.01],
        // Each new process has to learn where the history was rewritten before.
        [name, 'a new process for each message', 0.02],
      ] as const,
  ),
)('%s, %s', async (name, processes, mostAvoidable) => {
  const { server, llm, atBest } = await (flows[name] as () => Promise<Flow>)();
  onTestFinished(() => server.close());
  const store = memoryEventStore();
  const condenser = await demoCondenser();
  const open = () =>
    Conversation.open({
      conversationId: 'c',
      store,
      agent: new Agent({
        llm,
        systemPrompt: 'Work with care. '.repeat(300),
        tools: [read],
        condenser,
      }),
      stuckDetection: false,
    });
  let conversation = await open();
  for (const message of ['Read it all.', 'And again.', 'Once more.']) {
    await conversation.send(message);
    expect((await conversation.run()).status).toBe('finished');
    if (processes === 'one process') continue;
    await conversation.close();
    conversation = await open();
  }
  const events = [...conversation.events];
  expect(events.filter(({ type }) => type === 'condensation').length).toBeGreaterThan(4);
  const used = usageOf(events);
  expect(server.requests).toHaveLength(steps);
  const parts = server.requests.map(({ body }) => atBest.use(body));
  const least = parts.reduce((sum, part) => sum + cost(part), 0);
  const paid = cost({
    read: used.cacheReadTokens,
    written: used.cacheWriteTokens,
    uncached: used.uncachedInputTokens,
  });
  expect(paid / least - 1).toBeLessThan(mostAvoidable);
});

function usageOf(events: readonly Event[]): Usage {
  return sumUsage(events.flatMap((event) => (event.type === 'llm-usage' ? [event.usage] : [])));
}
