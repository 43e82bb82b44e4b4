import { Agent, Conversation } from '@palimpsest/agent';
import type { AgentOptions, RunOutcome } from '@palimpsest/agent';
import { extractiveSummaryCondenser, observationMaskingCondenser, pipelineCondenser } from '@palimpsest/condensers';
import { createEvent, defineTool } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import { anthropicLLM } from '@palimpsest/llm-adapters/anthropic';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import { anthropicServer, openaiServer } from '@palimpsest/provider-servers';
import type { ProviderServer } from '@palimpsest/provider-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';

/**
 * The main flows of an agent over the real SDKs and HTTP, against servers that refuse what the providers refuse: thinking
 * whose prefix was edited, calls without results, too long a history.
 */

const steps = 30;
const apiKey = 'sk-test-0123456789abcdef';
const contextWindow = 9_000;

const read = defineTool({
  name: 'read',
  description: 'Reads a file.',
  input: z.object({ path: z.string() }),
  annotations: { readOnly: true, parallel: true },
  execute: ({ path }) => `${path}: `.padEnd(40, '.') + '\nexport const line = 1;'.repeat(60),
});

interface Flow {
  readonly server: ProviderServer;
  readonly llm: LLM;
}

/** Anthropic: every answer thinks, calls two tools, and has thinking between the two now and then. */
async function anthropicFlow(model: string): Promise<Flow> {
  const thinks = (text: string) => ({ type: 'thinking', thinking: text, signature: '' });
  const server = await anthropicServer({
    apiKey,
    contextWindow,
    // Faults that a retry cures.
    faults: (_, index) =>
      index === 3 ? { fault: 'overloaded' } : index === 7 ? { fault: 'rate-limit', retryAfterSeconds: 0 } : undefined,
    reply: (_, index) => {
      if (index >= steps) return { content: [{ type: 'text', text: 'All read.' }] };
      const call = (n: number) => ({
        type: 'tool_use',
        id: `toolu_${index}_${n}`,
        name: 'read',
        input: { path: `src/${index}-${n}.ts` },
      });
      const between = index % 4 === 0 ? [thinks(`between ${index}`)] : [];
      return {
        content: [thinks(`before ${index}`), { type: 'text', text: `Step ${index}.` }, call(1), ...between, call(2)],
      };
    },
  });
  return {
    server,
    llm: anthropicLLM({
      model,
      apiKey,
      baseURL: server.url,
      contextWindow,
      maxOutputTokens: 3_000,
      retry: { minDelayMs: 1 },
      thinking: 'on',
    }),
  };
}

/** OpenAI: with reasoning items on Responses, plain calls on Chat Completions. */
async function openaiFlow(model: string, api: 'responses' | 'chat-completions'): Promise<Flow> {
  const server = await openaiServer({
    apiKey,
    contextWindow,
    reply: (_, index) => {
      if (index >= steps) return { message: { content: 'All read.' } };
      const tool_calls = [1, 2].map((n) => ({
        id: `call_${index}_${n}`,
        type: 'function',
        function: { name: 'read', arguments: JSON.stringify({ path: `src/${index}-${n}.ts` }) },
      }));
      if (api === 'chat-completions') return { message: { content: `Step ${index}.`, tool_calls } };
      return {
        output: [
          { type: 'reasoning', summary: [{ type: 'summary_text', text: `Reasoning ${index}.` }] },
          ...tool_calls.map((call) => ({ type: 'function_call', call_id: call.id, ...call.function })),
        ],
      };
    },
  });
  const baseURL = server.url;
  return {
    server,
    llm: openaiLLM({
      model,
      api,
      server: 'openai',
      apiKey,
      baseURL,
      contextWindow,
      maxOutputTokens: 1_000,
      retry: { minDelayMs: 1 },
    }),
  };
}

async function work(flow: Flow, options: Partial<AgentOptions> = {}) {
  onTestFinished(() => flow.server.close());
  const agent = new Agent({
    llm: flow.llm,
    systemPrompt: 'Read the files.',
    tools: [read],
    condenser: pipelineCondenser([
      observationMaskingCondenser({ attentionWindow: 8, minSavedTokens: 1_500 }),
      extractiveSummaryCondenser({ maxSize: 40, maxSummaryTokens: 500 }),
    ]),
    ...options,
  });
  const conversation = await Conversation.open({ agent, stuckDetection: false });
  await conversation.send('Read them all.');
  const pieces: string[] = [];
  const outcome: RunOutcome = await conversation.run({
    onDelta: (delta) => {
      if (delta.type === 'text') pieces.push(delta.text);
    },
  });
  return { outcome, events: [...conversation.events], streamed: pieces.join('') };
}

const ofType = (events: readonly Event[], type: string) => events.filter((event) => event.type === type);

const flows: readonly (readonly [string, () => Promise<Flow>])[] = [
  ['Anthropic, thinking bound to its prefix', () => anthropicFlow('claude-opus-5-5')],
  ['Anthropic, adaptive thinking of before', () => anthropicFlow('claude-opus-4-8')],
  ['Anthropic, a model that thinks within a budget', () => anthropicFlow('claude-haiku-4-5')],
  ['OpenAI, Responses with reasoning items', () => openaiFlow('gpt-6.1-sol', 'responses')],
  ['OpenAI, Chat Completions', () => openaiFlow('gpt-4o', 'chat-completions')],
];

describe.each(flows)('%s', (_, makeFlow) => {
  test('a long run with condensations: nothing is refused, nothing repaired, and the answer arrives', async () => {
    const { outcome, events, streamed } = await work(await makeFlow());
    expect(outcome).toMatchObject({ status: 'finished', answer: 'All read.' });
    expect(outcome.iterations).toBe(steps + 1);
    expect(outcome.condensations).toBeGreaterThan(1);
    expect(streamed).toContain('All read.');
    // A list that the server calls malformed would have been sent again without thinking, and that would be on record.
    const updates = ofType(events, 'conversation-state-update').map(
      (event) => (event as { readonly key?: unknown }).key,
    );
    expect(new Set(updates)).toEqual(new Set(['status']));
    expect(ofType(events, 'llm-usage')).toHaveLength(steps + 1);
    expect(JSON.stringify(events)).not.toContain(apiKey);
  });

  test('a log with halves of characters in every text: nothing is refused at any step', async () => {
    const flow = await makeFlow();
    onTestFinished(() => flow.server.close());
    const half = `cut here: ${'😀'.repeat(20).slice(0, 11)}`;
    const text = [{ type: 'text', text: half }] as const;
    const agent = new Agent({
      llm: flow.llm,
      systemPrompt: half,
      tools: [{ ...read, description: half, execute: () => half }],
      render: { labelObservation: () => half },
    });
    const conversation = await Conversation.open({ agent, stuckDetection: false, limits: { maxIterations: 4 } });
    const toolCall = { id: 'call-of-old', name: 'read', arguments: '{"path":"\\ud83d","\\ude00":1}' };
    const { id: actionId } = createEvent('action', { thought: text, toolCall, llmResponseId: 'of-old' });
    // As another program wrote it: the log is the only truth, and stays as it is.
    await conversation.events.append(
      createEvent('message', { source: 'user', role: 'user', content: text }),
      createEvent('action', { id: actionId, thought: text, toolCall, llmResponseId: 'of-old' }),
      createEvent('observation', { toolCallId: toolCall.id, toolName: 'read', actionId, content: text }),
      createEvent('message', { source: 'agent', role: 'assistant', content: text, llmResponseId: 'older' }),
      createEvent('condensation', { forgottenEventIds: [], summary: half }),
    );
    await conversation.send(half);
    await expect(conversation.run()).rejects.toMatchObject({ cause: { code: 'limit-exceeded' } });
    expect(ofType([...conversation.events], 'llm-usage')).toHaveLength(4);
  });

  test('without room for anything: a typed error that says what to do, and the log is whole', async () => {
    const flow = await makeFlow();
    const failing = work(flow, { systemPrompt: 'Be careful. '.repeat(4_000) });
    await expect(failing).rejects.toMatchObject({ code: 'conversation-run', cause: { code: 'context-overflow' } });
  });
});
