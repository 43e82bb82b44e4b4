import { defineTool } from '@palimpsest/events';
import { anthropicLLM } from '@palimpsest/llm-adapters/anthropic';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import { anthropicServer, openaiServer } from '@palimpsest/provider-servers';
import { condensation } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { Agent, Conversation } from './index.js';

const apiKey = 'sk-test-0123456789abcdef';

async function claude() {
  const call = { type: 'tool_use', id: 'job', name: 'start', input: {} };
  const server = await anthropicServer({
    apiKey,
    reply: (_body, index) => ({ content: [index === 0 ? call : { type: 'text', text: `Answer ${index}.` }] }),
  });
  return { server, llm: anthropicLLM({ model: 'claude-haiku-4-5', apiKey, baseURL: server.baseURL }) };
}

async function gpt() {
  const call = { id: 'job', type: 'function', function: { name: 'start', arguments: '{}' } };
  const server = await openaiServer({
    apiKey,
    reply: (_body, index) => ({
      message: { content: `Answer ${index}.`, ...(index === 0 ? { tool_calls: [call] } : {}) },
    }),
  });
  return { server, llm: openaiLLM({ model: 'gpt-4o', server: 'openai', apiKey, baseURL: server.baseURL }) };
}

const start = defineTool({ name: 'start', description: '', input: z.object({}), execute: () => 'It runs.' });

/** Forgets, on a request, the call and its result. */
const forgetting: Condenser = {
  name: 'forgetting',
  handlesCondensationRequests: true,
  condense: (view) =>
    view.unhandledCondensationRequest ? condensation({ view, start: 2, end: 4, summary: 'A job was started.' }) : view,
};

test.each([
  ['Anthropic', claude, false],
  ['Anthropic, its call forgotten', claude, true],
  ['OpenAI', gpt, false],
  ['OpenAI, its call forgotten', gpt, true],
])('a second result that a host appends reaches the model with its call: %s', async (_, make, isForgotten) => {
  const { server, llm } = await make();
  onTestFinished(() => server.close());
  const agent = new Agent({ llm, tools: [start], systemPrompt: 'Work.', condenser: forgetting });
  const conversation = await Conversation.open({ agent });
  await conversation.send('Go.');
  await conversation.run();
  if (isForgotten) await conversation.condense();
  const content = [{ type: 'text', text: 'It is done.' } as const];
  await conversation.events.append(agent.createEvent('observation', { toolCallId: 'job', toolName: 'start', content }));
  await conversation.send('And?');
  expect(await conversation.run()).toMatchObject({ status: 'finished' });
  const sent = JSON.stringify(server.requests.at(-1));
  expect(sent).toContain('It is done.');
  expect(sent.includes('It runs.')).toBe(!isForgotten);
});
