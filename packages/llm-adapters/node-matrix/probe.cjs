// The CommonJS half: every entry loads, and an adapter reaches its SDK.
const assert = require('node:assert/strict');
const { LLMError } = require('@palimpsest/llm-adapters');
const { anthropicLLM } = require('@palimpsest/llm-adapters/anthropic');
const { openaiLLM } = require('@palimpsest/llm-adapters/openai');
const { openaiServer } = require('@palimpsest/provider-servers');
const { o200kCounter } = require('@palimpsest/llm-adapters/tokens');

async function main() {
  const server = await openaiServer({ reply: () => ({ message: { content: 'Hello.' } }) });
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hello.' }] }];
  try {
    const { finishReason } = await openaiLLM({ model: 'qwen3', baseURL: server.baseURL }).complete({ messages });
    assert.equal(finishReason, 'stop');
    const elsewhere = anthropicLLM({
      model: 'claude-haiku-4-5',
      apiKey: 'sk-test-0123456789',
      baseURL: server.baseURL,
    });
    const error = await elsewhere.complete({ messages }).catch((thrown) => thrown);
    assert.ok(LLMError.isInstance(error));
    assert.equal(error.statusCode, 404);
    assert.ok((await o200kCounter()).count({ messages }) > 6);
  } finally {
    await server.close();
  }
  console.log('required, called, refused, counted');
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
