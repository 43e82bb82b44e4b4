import type { Message } from '@palimpsest/events';
import { scriptedServer } from '@palimpsest/provider-servers';
import type { ProviderServer } from '@palimpsest/provider-servers';
import { expect, it, onTestFinished } from 'vitest';
import { anthropicLLM } from './anthropic/index.js';
import { openaiLLM } from './openai/index.js';

const tools = [{ name: 'run', description: '', inputSchema: { type: 'object' } }];
const user: Message = { role: 'user', content: [{ type: 'text', text: 'Go.' }] };

it.each([
  ['anthropic', ({ baseURL }: ProviderServer) => anthropicLLM({ model: 'claude-opus-5-5', apiKey: 'key', baseURL })],
  ['openai', ({ baseURL }: ProviderServer) => openaiLLM({ model: 'gpt-4o', apiKey: 'key', baseURL })],
  [
    'openai',
    ({ baseURL }: ProviderServer) => openaiLLM({ model: 'gpt-6-sol', apiKey: 'key', baseURL, api: 'responses' }),
  ],
] as const)('arguments nested very deep arrive and go back: %s', async (api, llmAt) => {
  const depth = 3_000;
  const deep = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  const server = await scriptedServer(api, (_, index) =>
    index === 0 ? { calls: [{ id: 'a', name: 'run', input: deep }] } : { text: 'Done.' },
  );
  onTestFinished(() => server.close());
  const llm = llmAt(server);
  const { message } = await llm.complete({ messages: [user], tools, onDelta: () => undefined });
  expect(message.toolCalls?.[0]?.arguments).toBe(deep);
  const result: Message = {
    role: 'tool',
    toolCallId: 'a',
    toolName: 'run',
    content: [{ type: 'text', text: 'No.' }],
  };
  const second = await llm.complete({ messages: [user, message, result], tools });
  expect(second.finishReason).toBe('stop');
});
