// What an installed package does with the SDKs beside it. Prints what passed; any failure ends it.
import assert from 'node:assert/strict';
import { LLMError, modelFacts } from '@palimpsest/llm-adapters';
import { anthropicLLM } from '@palimpsest/llm-adapters/anthropic';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import { anthropicServer, openaiServer } from '@palimpsest/provider-servers';
import { counterFor } from '@palimpsest/llm-adapters/tokens';

const apiKey = 'sk-test-0123456789abcdef';
const user = { role: 'user', content: [{ type: 'text', text: 'What is in a.txt?' }] };
const tools = [
  {
    name: 'read',
    description: 'Reads a file.',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
];
const result = (id) => ({
  role: 'tool',
  toolCallId: id,
  toolName: 'read',
  content: [{ type: 'text', text: 'It works.' }],
});
const passed = [];

/** A loop of two calls: one that asks for a tool, one that answers. */
async function loop(name, llm, onDelta) {
  const options = onDelta ? { onDelta } : {};
  const first = await llm.complete({ messages: [user], tools, ...options });
  assert.equal(first.finishReason, 'tool-calls', name);
  const [call] = first.message.toolCalls;
  assert.equal(call.name, 'read');
  assert.deepEqual(JSON.parse(call.arguments), { path: 'a.txt' });
  const second = await llm.complete({ messages: [user, first.message, result(call.id)], tools, ...options });
  assert.deepEqual(second.message.content, [{ type: 'text', text: 'It says: it works.' }], name);
  assert.ok(second.usage.uncachedInputTokens + second.usage.cacheReadTokens > 0);
  passed.push(name);
}

async function refused(name, llm) {
  const error = await llm.complete({ messages: [user] }).catch((thrown) => thrown);
  assert.ok(LLMError.isInstance(error), name);
  assert.equal(error.code, 'authentication', name);
  assert.ok(!`${error.message}${error.cause?.message}`.includes('sk-wrong-0123456789'), name);
  passed.push(name);
}

const openai = await openaiServer({
  apiKey,
  reply: (_body, index) =>
    index % 2 === 0
      ? {
          message: {
            tool_calls: [
              {
                id: `call_${index}`,
                type: 'function',
                function: { name: 'read', arguments: '{"path":"a.txt"}' },
              },
            ],
          },
        }
      : { message: { content: 'It says: it works.' } },
});
const anthropic = await anthropicServer({
  apiKey,
  reply: (_body, index) =>
    index % 2 === 0
      ? { content: [{ type: 'tool_use', id: `toolu_${index}`, name: 'read', input: { path: 'a.txt' } }] }
      : { content: [{ type: 'text', text: 'It says: it works.' }] },
});

try {
  const ofOpenAI = (model, more = {}) =>
    openaiLLM({ model, apiKey, baseURL: openai.baseURL, server: 'openai', ...more });
  const ofAnthropic = (more = {}) =>
    anthropicLLM({ model: 'claude-haiku-4-5', apiKey, baseURL: anthropic.baseURL, ...more });
  const deltas = [];
  const onDelta = (delta) => deltas.push(delta);
  await loop('chat', ofOpenAI('gpt-4o'));
  await loop('chat streamed', ofOpenAI('gpt-4o'), onDelta);
  await loop('responses', ofOpenAI('gpt-6.1-sol'));
  await loop('responses streamed', ofOpenAI('gpt-6.1-sol'), onDelta);
  await loop('messages', ofAnthropic());
  await loop('messages streamed', ofAnthropic(), onDelta);
  assert.equal(
    deltas
      .filter(({ type }) => type === 'text')
      .map(({ text }) => text)
      .join(''),
    'It says: it works.'.repeat(3),
  );
  await refused('openai refusal', ofOpenAI('gpt-4o', { apiKey: 'sk-wrong-0123456789' }));
  await refused('anthropic refusal', ofAnthropic({ apiKey: 'sk-wrong-0123456789' }));
  const counter = await counterFor({ facts: modelFacts('gpt-6-sol', 'openai') });
  assert.equal(counter.count({ messages: [{ role: 'user', content: [{ type: 'text', text: 'hello world' }] }] }), 8);
  passed.push('tokens');
} finally {
  await openai.close();
  await anthropic.close();
}
console.log(passed.join(', '));
