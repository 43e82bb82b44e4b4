import { Agent, Conversation } from '@palimpsest/agent';
import { llmSummarizingCondenser, structuredSummaryCondenser } from '@palimpsest/condensers';
import { defineTool } from '@palimpsest/events';
import type { Condensation, LLMUsageEvent, Usage } from '@palimpsest/events';
import { totalInputTokens } from '@palimpsest/llm-adapters';
import type { LLM } from '@palimpsest/llm-adapters';
import { anthropicLLM } from '@palimpsest/llm-adapters/anthropic';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import { anthropicServer, openaiServer } from '@palimpsest/provider-servers';
import type { OpenAIServerOptions, ProviderServer } from '@palimpsest/provider-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';

/**
 * Whole runs over the real SDKs and HTTP, to servers that enforce the providers' rules and count what their caches read. A summary
 * that is asked for behind the agent's own request reads all that the agent's last request had cached.
 */

const apiKey = 'sk-test-0123456789abcdef';
const isThorough = process.env['PALIMPSEST_THOROUGH'] === 'true';
/** Enough for two summaries, and for twice as many where CI tests thoroughly. */
const steps = isThorough ? 40 : 25;
const readAt = (index: number) => `file-${index}.ts`;
const fields = { user_context: 'Read all.', completed_tasks: 'Half of it.', pending_tasks: 'The rest.' };
const summary = JSON.stringify(fields);
const retry = { attempts: 1 };

/** What a model answers to a question about the conversation. */
type AnswerToQuestion = 'summary' | 'call';

interface Wire {
  readonly name: string;
  readonly start: (answer: AnswerToQuestion) => Promise<{ readonly server: ProviderServer; readonly llm: LLM }>;
}

const isBehind = (body: unknown) => JSON.stringify(body).includes('The work is interrupted here');
const isSeparate = (body: unknown) => JSON.stringify(body).includes('Below are the oldest events');
const says = (body: unknown, answer: AnswerToQuestion) =>
  (isBehind(body) && answer === 'summary') || (!isBehind(body) && isSeparate(body));

const anthropic = (model: string, thinking: 'on' | 'off'): Wire => ({
  name: `Messages, ${model}, thinking ${thinking}`,
  start: async (answer) => {
    let turns = 0;
    const server = await anthropicServer({
      apiKey,
      reply: (body) => {
        if (says(body, answer)) return { content: [{ type: 'text', text: summary }] };
        const index = turns++;
        return {
          content: [
            ...(thinking === 'on' ? [{ type: 'thinking', thinking: `Step ${index}.` }] : []),
            index === steps
              ? { type: 'text', text: 'Done.' }
              : { type: 'tool_use', id: `toolu_${index}`, name: 'read', input: { path: readAt(index) } },
          ],
        };
      },
    });
    const options = { model, apiKey, baseURL: server.url, retry, maxOutputTokens: 3_000 };
    return { server, llm: anthropicLLM({ ...options, thinking }) };
  },
});

const openai = (
  model: string,
  options: { readonly api?: 'responses'; readonly profile?: 'mistral' | 'deepseek' | 'strict-template' } = {},
): Wire => ({
  name: `${options.api ?? 'Chat Completions'}, ${options.profile ?? model}`,
  start: async (answer) => {
    let turns = 0;
    const serverOptions: OpenAIServerOptions = {
      apiKey,
      ...(options.profile === undefined ? {} : { profile: options.profile }),
      reply: (body) => {
        if (says(body, answer)) return { message: { content: summary } };
        const index = turns++;
        if (index === steps) return { message: { content: 'Done.' } };
        const input = JSON.stringify({ path: readAt(index) });
        const call = { id: `call_${index}`, type: 'function', function: { name: 'read', arguments: input } } as const;
        return { message: { content: `Step ${index}.`, tool_calls: [call] } };
      },
    };
    const server = await openaiServer(serverOptions);
    const llm = openaiLLM({
      model,
      server: options.profile ?? 'openai',
      ...(options.api === undefined ? {} : { api: options.api }),
      apiKey,
      baseURL: server.url,
      retry,
    });
    return { server, llm };
  },
});

const wires: readonly Wire[] = [
  anthropic('claude-opus-5-5', 'on'),
  anthropic('claude-haiku-4-5', 'off'),
  anthropic('claude-haiku-4-5', 'on'),
  openai('gpt-5.4-mini'),
  openai('gpt-6.1-sol', { api: 'responses' }),
  openai('m', { profile: 'mistral' }),
  openai('m', { profile: 'deepseek' }),
  openai('m', { profile: 'strict-template' }),
];
/** What the agent does with an answer is the same for all; where CI tests thoroughly all show it. */
const oneOfEachApi = [wires[0], wires[3], wires[4]] as readonly Wire[];

const read = defineTool({
  name: 'read',
  description: 'Reads a file. '.repeat(100),
  input: z.object({ path: z.string() }),
  execute: ({ path }) => `a line of ${path}\n`.repeat(60),
});

const condensers = { llmSummarizing: llmSummarizingCondenser, structuredSummary: structuredSummaryCondenser };

async function run(wire: Wire, answer: AnswerToQuestion, condenser: keyof typeof condensers = 'llmSummarizing') {
  const { server, llm } = await wire.start(answer);
  onTestFinished(() => server.close());
  const options = { llm, maxSize: 30, modelCall: { extendsAgentRequest: true } };
  const conversation = await Conversation.open({
    conversationId: 'c',
    agent: new Agent({
      llm,
      systemPrompt: 'Work with care. '.repeat(100),
      tools: [read],
      condenser: condensers[condenser](options),
      maxOutputTokens: 3_000,
    }),
    stuckDetection: false,
  });
  await conversation.send('Read all of them.');
  expect((await conversation.run()).status).toBe('finished');
  const events = [...conversation.events];
  expect(events.filter(({ type }) => type === 'condensation-attempt')).toEqual([]);
  expect(events.filter(({ type }) => type === 'condensation').length).toBeGreaterThan(1);
  return { server, events };
}

/** A body without cache marks, which may stand elsewhere in the next one. */
function prompt(body: unknown): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(body, (key, value: unknown) =>
      /^(prompt_)?cache_(control|breakpoint)$/.test(key) ? undefined : value,
    ),
  ) as Record<string, unknown>;
}

describe.each(isThorough ? wires : oneOfEachApi)('$name', (wire) => {
  test('the input of a summary is what the agent had cached, and no request is refused', async () => {
    const { server, events } = await run(wire, 'summary');
    let previous: LLMUsageEvent | undefined;
    for (const event of events) {
      if (event.type === 'llm-usage') previous = event;
      if (event.type !== 'condensation') continue;
      const { metadata } = event;
      expect(metadata).toMatchObject({ extendsAgentRequest: true });
      const { cacheReadTokens } = metadata?.['usage'] as Usage;
      const asked = totalInputTokens((previous as LLMUsageEvent).usage);
      expect(cacheReadTokens).toBeGreaterThanOrEqual(asked - 128);
    }
    for (const [index, { body }] of server.requests.entries()) {
      if (!isBehind(body)) continue;
      const [before, behind] = [prompt(server.requests[index - 1]?.body), prompt(body)];
      const list = (one: Record<string, unknown>) => (one['messages'] ?? one['input']) as readonly unknown[];
      expect({ ...behind, messages: 0, input: 0 }).toEqual({ ...before, messages: 0, input: 0 });
      const same = list(before).length;
      expect(list(behind).slice(0, same)).toEqual(list(before));
    }
  });
});

test.each(isThorough ? wires : oneOfEachApi)(
  '$name: a call of a tool is no answer: the summary is asked for in a request of its own, and both are paid for',
  async (wire) => {
    const { server, events } = await run(wire, 'call');
    const behind = server.requests.filter(({ body }) => isBehind(body));
    const made = events.filter(({ type }) => type === 'condensation') as readonly Condensation[];
    expect(behind).toHaveLength(made.length);
    for (const { metadata } of made) {
      expect(metadata).toMatchObject({ extendsAgentRequest: false });
      expect(totalInputTokens(metadata?.['usage'] as Usage)).toBeGreaterThan(8_000);
    }
  },
);

test('a structured summary is asked for in words behind the request', async () => {
  const { server, events } = await run(wires[0] as Wire, 'summary', 'structuredSummary');
  const made = events.filter(({ type }) => type === 'condensation') as readonly Condensation[];
  for (const { summary, metadata } of made) {
    expect(metadata).toMatchObject({ extendsAgentRequest: true });
    expect(summary).toContain('Half of it.');
  }
  expect(server.requests.filter(({ body }) => isBehind(body))).toHaveLength(made.length);
});
