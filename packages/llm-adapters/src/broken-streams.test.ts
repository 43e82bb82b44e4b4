import type { Message } from '@palimpsest/events';
import { anthropicServer, openaiServer } from '@palimpsest/provider-servers';
import type { ProviderServer } from '@palimpsest/provider-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { anthropicLLM } from './anthropic/index.js';
import type { Completion, CountedUsage, Delta, LLM } from './index.js';
import { openaiLLM } from './openai/index.js';

// The packages of the providers talk over HTTP to servers that close the connection after each single event of an answer that
// thinks, speaks and calls: each place in the middle of it is one.

const messages: readonly Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }];
const tools = [{ name: 'read', description: 'Reads.', inputSchema: { type: 'object' } }];
const [thought, words, path] = [
  'First I think about it for a while.',
  'Then I say a few words.',
  'a/rather/long/path.ts',
];

interface Wire {
  readonly name: string;
  /** A model behind a server that closes the connection of the first request after so many events. */
  readonly start: (afterEvents: number) => Promise<{ readonly server: ProviderServer; readonly llm: LLM }>;
}

const retry = { attempts: 2, minDelayMs: 1 };
const apiKey = 'sk-test-0123456789';
const called = { name: 'read', arguments: JSON.stringify({ path }) };
const cutOnce = (afterEvents: number) => [{ fault: 'cut' as const, afterEvents }];

const wires: readonly Wire[] = [
  {
    name: 'Anthropic',
    start: async (afterEvents) => {
      const server = await anthropicServer({
        faults: cutOnce(afterEvents),
        reply: (_, index) => ({
          content: [
            { type: 'thinking', thinking: thought },
            { type: 'text', text: words },
            { type: 'tool_use', id: `toolu_${index}`, name: 'read', input: { path } },
          ],
        }),
      });
      return { server, llm: anthropicLLM({ model: 'claude-opus-5-5', apiKey, baseURL: server.baseURL, retry }) };
    },
  },
  {
    name: 'Chat Completions with reasoning',
    start: async (afterEvents) => {
      const server = await openaiServer({
        profile: 'deepseek',
        faults: cutOnce(afterEvents),
        reply: () => ({
          message: {
            reasoning_content: thought,
            content: words,
            tool_calls: [{ id: 'call_1', type: 'function', function: called }],
          },
        }),
      });
      return { server, llm: openaiLLM({ model: 'm', server: 'deepseek', apiKey, baseURL: server.baseURL, retry }) };
    },
  },
  {
    name: 'Responses',
    start: async (afterEvents) => {
      const server = await openaiServer({
        faults: cutOnce(afterEvents),
        reply: () => ({
          output: [
            { type: 'reasoning', summary: [{ type: 'summary_text', text: thought }] },
            { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: words }] },
            { type: 'function_call', call_id: 'call_1', ...called },
          ],
        }),
      });
      const options = { model: 'gpt-6.1-sol', server: 'openai', api: 'responses' } as const;
      return { server, llm: openaiLLM({ ...options, apiKey, baseURL: server.baseURL, retry }) };
    },
  },
];

async function ask(wire: Wire, afterEvents: number) {
  const { server, llm } = await wire.start(afterEvents);
  onTestFinished(() => server.close());
  const deltas: Delta[] = [];
  const counted: CountedUsage[] = [];
  const completion = await llm.complete({
    messages,
    tools,
    onDelta: (delta) => deltas.push(delta),
    onUsage: (usage) => counted.push(usage),
  });
  return { completion, deltas, counted, requests: server.requests.length };
}

/** Returns the sum of deltas. */
function sumOf(deltas: readonly Delta[]) {
  const sum = { thinking: '', text: '', name: '', arguments: '' };
  for (const delta of deltas) {
    if (delta.type === 'tool-call') {
      sum.name += delta.name ?? '';
      sum.arguments += delta.arguments;
    } else if (delta.type !== 'restart') sum[delta.type] += delta.text;
  }
  return sum;
}

const whole = { thinking: thought, text: words, name: 'read', arguments: called.arguments };
const callOf = ({ message }: Completion) =>
  message.toolCalls?.map((call) => [call.name, JSON.parse(call.arguments) as unknown]);

describe.each(wires)('$name', (wire) => {
  test('wherever the connection is lost, the answer is asked for again, and the listener starts over', async () => {
    const voided = { thinking: 0, text: 0, 'tool-call': 0 };
    for (let afterEvents = 0; ; afterEvents++) {
      const { completion, deltas, requests } = await ask(wire, afterEvents);
      const restart = deltas.findIndex(({ type }) => type === 'restart');
      expect(sumOf(deltas.slice(restart + 1))).toEqual(whole);
      expect(deltas.filter(({ type }) => type === 'restart').length).toBeLessThanOrEqual(1);
      expect(completion.message.content).toEqual([{ type: 'text', text: words }]);
      expect(callOf(completion)).toEqual([['read', { path }]]);
      // The fault came after the last event: nothing was lost.
      if (requests === 1) break;
      expect(requests).toBe(2);
      const last = deltas[restart - 1];
      if (last !== undefined && last.type !== 'restart') voided[last.type]++;
    }
    // It was lost in the middle of each: a first piece had come, and the last had not.
    for (const times of Object.values(voided)) expect(times).toBeGreaterThan(1);
  });
});

test('what Anthropic had counted of a lost answer is told, with its price', async () => {
  const [anthropic] = wires;
  if (anthropic === undefined) return expect.unreachable();
  const { server, llm } = await anthropic.start(8);
  onTestFinished(() => server.close());
  const counted: (CountedUsage | 'restart')[] = [];
  const { usage, costUsd } = await llm.complete({
    messages,
    tools,
    onDelta: ({ type }) => (type === 'restart' ? counted.push(type) : undefined),
    onUsage: (soFar) => counted.push(soFar),
  });
  const atStart = { usage: { uncachedInputTokens: usage.uncachedInputTokens, outputTokens: 1 } };
  expect(counted).toMatchObject([atStart, 'restart', atStart, { usage: { outputTokens: usage.outputTokens } }]);
  // This address is not the vendor's, so nobody knows a price.
  expect(costUsd).toBeUndefined();
  const priced = anthropicLLM({
    model: 'claude-opus-5-5',
    apiKey,
    baseURL: server.baseURL,
    prices: { input: 1_000_000, cacheRead: 0, cacheWrite: 0, output: 0 },
  });
  const costs: (number | undefined)[] = [];
  const onUsage = (soFar: CountedUsage) => costs.push(soFar.costUsd);
  await priced.complete({ messages, tools, onDelta: () => undefined, onUsage });
  expect(costs).toEqual([usage.uncachedInputTokens, usage.uncachedInputTokens]);
});
