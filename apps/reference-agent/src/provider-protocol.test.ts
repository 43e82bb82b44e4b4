import { Agent, Conversation } from '@palimpsest/agent';
import type { AgentOptions, RunOutcome } from '@palimpsest/agent';
import { extractiveSummaryCondenser, observationMaskingCondenser, pipelineCondenser } from '@palimpsest/condensers';
import { createEvent, defineTool } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apiKey, openWire } from '../test-support/wire.js';
import type { Api, Wire } from '../test-support/wire.js';

/**
 * The main flows of an agent over the real SDKs and HTTP, against servers that refuse what the providers refuse: thinking
 * whose prefix was edited, calls without results, too long a history.
 */

const steps = 30;
const contextWindow = 9_000;

const read = defineTool({
  name: 'read',
  description: 'Reads a file.',
  input: z.object({ path: z.string() }),
  annotations: { readOnly: true, parallel: true },
  execute: ({ path }) => `${path}: `.padEnd(40, '.') + '\nexport const line = 1;'.repeat(60),
});

/** Every answer calls two tools. A model that thinks does so before them, and now and then between them. Faults that a retry cures come in between. */
function flowOf(api: Api, model: string): Promise<Wire> {
  return openWire(
    api,
    model,
    (_, index) =>
      index >= steps
        ? { text: 'All read.' }
        : {
            text: `Step ${index}.`,
            ...(api === 'chat-completions' ? {} : { thinking: `Thought ${index}.` }),
            calls: [1, 2].map((n) => ({
              id: `call_${index}_${n}`,
              name: 'read',
              input: { path: `src/${index}-${n}.ts` },
              ...(n === 2 && index % 4 === 0 ? { thinking: `Between ${index}.` } : {}),
            })),
          },
    {
      contextWindow,
      maxOutputTokens: api === 'messages' ? 3_000 : 1_000,
      thinking: 'on',
      server: {
        contextWindow,
        faults: (_, index) =>
          index === 3
            ? { fault: 'overloaded' }
            : index === 7
              ? { fault: 'rate-limit', retryAfterSeconds: 0 }
              : undefined,
      },
    },
  );
}

async function work(flow: Wire, options: Partial<AgentOptions> = {}) {
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

const flows: readonly (readonly [string, () => Promise<Wire>])[] = [
  ['Anthropic, thinking bound to its prefix', () => flowOf('messages', 'claude-opus-5-5')],
  ['Anthropic, adaptive thinking of before', () => flowOf('messages', 'claude-opus-4-8')],
  ['Anthropic, a model that thinks within a budget', () => flowOf('messages', 'claude-haiku-4-5')],
  ['OpenAI, Responses with reasoning items', () => flowOf('responses', 'gpt-6.1-sol')],
  ['OpenAI, Chat Completions', () => flowOf('chat-completions', 'gpt-4o')],
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
