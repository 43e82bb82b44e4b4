import { logBuilder } from '@palimpsest/events/testing';
import type { LLM } from '@palimpsest/llm-adapters';
import { anthropicLLM } from '@palimpsest/llm-adapters/anthropic';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import { anthropicServer, openaiServer } from '@palimpsest/provider-servers';
import type { AnthropicServerOptions, OpenAIServerOptions } from '@palimpsest/provider-servers';
import { isCondensation, View } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { expect, onTestFinished, test } from 'vitest';
import { llmAttentionCondenser } from './llm-attention/llm-attention.js';
import { structuredSummaryCondenser } from './structured-summary/structured-summary.js';

// The SDKs themselves talk over HTTP to servers that refuse what the providers refuse: schemas, forced calls, formats.

const state = {
  user_context: 'Make it fast.',
  completed_tasks: 'Measured it.',
  pending_tasks: 'Make the parser lazy.',
};
const apiKey = 'test-key';

async function openai(options: OpenAIServerOptions, model = 'gpt-4o') {
  const server = await openaiServer(options);
  onTestFinished(() => server.close());
  return { server, llm: openaiLLM({ model, apiKey, baseURL: server.baseURL }) };
}

async function anthropic(options: AnthropicServerOptions, model: string) {
  const server = await anthropicServer(options);
  onTestFinished(() => server.close());
  return { server, llm: anthropicLLM({ model, apiKey, baseURL: server.baseURL }) };
}

function session() {
  const log = logBuilder();
  log.user('Make it fast.');
  for (let step = 1; step <= 30; step++)
    log.call('read_file', { path: `src/${step}.ts` }, `line of ${step}\n`.repeat(30));
  return log.events;
}

async function condensed(condenser: Condenser) {
  const attempts: unknown[] = [];
  const view = View.fromEvents(session());
  const result = await condenser.condense(view, { report: (attempt) => void attempts.push(attempt) });
  expect(attempts).toEqual([]);
  if (!isCondensation(result)) throw new Error('nothing was condensed');
  return result;
}

const summarise = (llm: LLM) => condensed(structuredSummaryCondenser({ llm, maxSize: 20 }));
const rank = (llm: LLM) => condensed(llmAttentionCondenser({ llm, maxSize: 20, keepFirst: 1 }));

test('OpenAI is made to call the tool', async () => {
  const { server, llm } = await openai({
    reply: ({ tools, tool_choice }) => {
      expect(tool_choice).toMatchObject({ type: 'function' });
      const { name } = (tools as { function: { name: string } }[])[0]?.function ?? {};
      const call = { id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(state) } };
      return { message: { tool_calls: [call] } };
    },
  });
  expect((await summarise(llm)).summary).toContain('**Pending tasks**: Make the parser lazy.');
  expect(server.requests).toHaveLength(1);
});

test('a server that refuses forced calls is asked by a format with a strict schema', async () => {
  const { server, llm } = await openai({
    reply: ({ tool_choice, response_format }) => {
      if (tool_choice !== undefined)
        return {
          error: { status: 400, type: 'invalid_request_error', message: 'tool_choice is not supported.' },
        };
      expect(response_format).toMatchObject({ type: 'json_schema', json_schema: { strict: true } });
      return { message: { content: JSON.stringify({ ...state, tests_written: 'true' }) } };
    },
  });
  expect((await summarise(llm)).summary).toContain('**Tests written**: true');
  expect(server.requests).toHaveLength(2);
});

test('a Claude model that takes forced calls is made to call the tool', async () => {
  const { server, llm } = await anthropic(
    {
      reply: ({ tools, tool_choice }) => {
        expect(tool_choice).toMatchObject({ type: 'tool' });
        const { name } = (tools as { name: string }[])[0] ?? {};
        return { content: [{ type: 'tool_use', id: 'toolu_1', name, input: state }] };
      },
    },
    'claude-sonnet-5-5',
  );
  expect((await summarise(llm)).summary).toContain('**Completed tasks**: Measured it.');
  expect(server.requests).toHaveLength(1);
});

test('a Claude model that refuses forced calls is asked by a format at once', async () => {
  const { server, llm } = await anthropic(
    {
      reply: ({ tools, tool_choice }) => {
        expect([tools, tool_choice]).toEqual([undefined, undefined]);
        return { content: [{ type: 'text', text: JSON.stringify(state) }] };
      },
    },
    'claude-opus-5-5',
  );
  expect((await summarise(llm)).summary).toContain('**Completed tasks**: Measured it.');
  expect(server.requests).toHaveLength(1);
});

test('both providers take the format of a ranking', async () => {
  const text = JSON.stringify({ ids: [4, 6] });
  const one = await openai({ reply: () => ({ message: { content: text } }) });
  const two = await anthropic({ reply: () => ({ content: [{ type: 'text', text }] }) }, 'claude-opus-5-5');
  for (const { server, llm } of [one, two]) {
    const { forgottenEventIds, metadata } = await rank(llm);
    expect(forgottenEventIds).not.toContain('event-4');
    expect(forgottenEventIds).toContain('event-8');
    expect(metadata).toMatchObject({ ranked: 2, usage: expect.anything() as unknown });
    expect(server.requests).toHaveLength(1);
  }
});
