import { anthropicServer, openaiServer } from '@palimpsest/provider-servers';
import { expect, onTestFinished, test } from 'vitest';
import { AuthenticationError, InvalidRequestError } from '../index.js';
import { llmByName, MissingApiKeyError, modelProviders, providerOfModel, UnknownProviderError } from './index.js';

const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello?' }] }];

async function ofOpenAI() {
  const server = await openaiServer({ reply: () => ({ message: { content: 'Hello.' } }) });
  onTestFinished(() => server.close());
  return server;
}

async function ofAnthropic() {
  const server = await anthropicServer({ reply: () => ({ content: [{ type: 'text', text: 'Hello.' }] }) });
  onTestFinished(() => server.close());
  return server;
}

test.each([
  ['anthropic/claude-opus-5-5', 'anthropic', 'claude-opus-5-5'],
  ['anthropic:something', 'anthropic', 'something'],
  ['claude-opus-5-5', 'anthropic', 'claude-opus-5-5'],
  ['openai/gpt-6-luna', 'openai', 'gpt-6-luna'],
  ['openai:claude-like', 'openai', 'claude-like'],
  ['some-model', 'openai', 'some-model'],
  ['some-model:latest', 'openai', 'some-model:latest'],
  ['ollama/qwen3:8b', 'ollama', 'qwen3:8b'],
  ['Ollama/qwen3:8b', 'ollama', 'qwen3:8b'],
  ['openrouter/anthropic/claude-opus-5.5', 'openrouter', 'anthropic/claude-opus-5.5'],
  ['llama.cpp/some/file.gguf', 'llama.cpp', 'some/file.gguf'],
])('%s is a model of %s, which calls it %s', (name, provider, model) => {
  expect(providerOfModel(name)).toMatchObject({ provider: { name: provider }, model });
});

test('a provider that is not known: the error lists those that are', async () => {
  const asked = llmByName('antropic/claude-opus-5-5', { env: {} });
  await expect(asked).rejects.toThrow(UnknownProviderError);
  await expect(asked).rejects.toThrow(/'antropic' is none of anthropic, openai, openrouter, .*ollama/);
});

test.each(modelProviders.filter(({ keyVariable }) => keyVariable !== undefined))(
  '$name without its key: the error names the variable, and that logins are not taken',
  async ({ name, keyVariable }) => {
    const asked = llmByName(`${name}/some-model`, { env: { [keyVariable ?? '']: ' ' } });
    await expect(asked).rejects.toThrow(MissingApiKeyError);
    await expect(asked).rejects.toThrow(AuthenticationError);
    await expect(asked).rejects.toThrow(keyVariable);
    await expect(asked).rejects.toThrow('A subscription (Claude Pro or Max, ChatGPT Plus) does not work here');
  },
);

test('local servers need no key', async () => {
  for (const name of ['ollama', 'lmstudio', 'llama.cpp', 'vllm'])
    expect((await llmByName(`${name}/qwen3`, { env: {} })).model).toBe('qwen3');
});

test('each provider is asked with its own key, at its own address', async () => {
  const [openai, anthropic] = [await ofOpenAI(), await ofAnthropic()];
  const env = {
    OPENAI_API_KEY: 'sk-of-openai',
    OPENAI_BASE_URL: openai.baseURL,
    ANTHROPIC_API_KEY: 'sk-of-anthropic',
    ANTHROPIC_BASE_URL: anthropic.baseURL,
  };
  await (await llmByName('openai/gpt-4o', { env })).complete({ messages });
  await (await llmByName('anthropic/claude-haiku-4-5', { env })).complete({ messages });
  expect(openai.requests[0]).toMatchObject({ headers: { authorization: 'Bearer sk-of-openai' } });
  expect(anthropic.requests[0]).toMatchObject({ headers: { authorization: 'Bearer sk-of-anthropic' } });
});

test('a server behind OPENAI_BASE_URL can have names with slashes', async () => {
  const { baseURL } = await ofOpenAI();
  expect((await llmByName('qwen/qwen3', { env: { OPENAI_BASE_URL: baseURL } })).model).toBe('qwen/qwen3');
});

test.each([
  ['qwen/qwen3-coder', 'qwen/qwen3-coder'],
  ['openai/gpt-oss-20b', 'openai/gpt-oss-20b'],
  ['openai:gpt-oss-20b', 'gpt-oss-20b'],
  ['ollama/qwen3:8b', 'qwen3:8b'],
])('at an address %s is asked for as %s, in Chat Completions, without a key', async (name, sent) => {
  const server = await ofOpenAI();
  const env = { OPENAI_API_KEY: 'sk-of-openai', ANTHROPIC_API_KEY: 'sk-of-anthropic' };
  await (await llmByName(name, { baseURL: server.baseURL, env })).complete({ messages });
  const [request] = server.requests;
  expect(request).toMatchObject({ path: '/v1/chat/completions', body: { model: sent } });
  expect(JSON.stringify(request)).not.toContain('sk-of');
});

test('a gateway to a model that is stated to be OpenAI’s, and known, is asked as OpenAI is: some take tools in Responses alone', async () => {
  const server = await ofOpenAI();
  const tools = [{ name: 'read_file', description: 'Reads.', inputSchema: { type: 'object', properties: {} } }];
  const env = { OPENAI_BASE_URL: server.baseURL };
  const asked = [
    await llmByName('openai:gpt-6.1-sol', { baseURL: server.baseURL, env: {} }),
    await llmByName('openai/gpt-6.1-sol', { env }),
    await llmByName('openai:gpt-5.2', { baseURL: server.baseURL, env: {} }),
    // The server's own names.
    await llmByName('openai:gpt-oss-20b', { baseURL: server.baseURL, env: {} }),
    await llmByName('openai/gpt-oss-20b', { env }),
  ];
  for (const llm of asked) await llm.complete(llm.model.startsWith('gpt-oss') ? { messages } : { messages, tools });
  const paths = server.requests.map(({ path }) => path.slice('/v1/'.length));
  expect(paths).toEqual(['responses', 'responses', 'chat/completions', 'chat/completions', 'chat/completions']);
});

test('at an address anthropic: speaks the API of Anthropic, and sends only the key for that server', async () => {
  const server = await ofAnthropic();
  const env = { ANTHROPIC_API_KEY: 'sk-of-anthropic', PALIMPSEST_API_KEY: 'sk-of-server' };
  const llm = await llmByName('anthropic:claude-haiku-4-5', { baseURL: `${server.url}/v1`, env });
  await llm.complete({ messages });
  expect(server.requests[0]).toMatchObject({ path: '/v1/messages', headers: { authorization: 'Bearer sk-of-server' } });
});

test.each(['localhost:8000/v1', 'ftp://somewhere', 'nonsense', ''])('%j is no address', async (baseURL) => {
  const asked = llmByName('some-model', { baseURL, env: {} });
  await expect(asked).rejects.toThrow(InvalidRequestError);
  await expect(asked).rejects.toThrow('http://');
});

test('an address that is none is told without what may be a key', async () => {
  for (const baseURL of ['user:pass-word@somewhere', 'somewhere?key=pass-word', 'ftp://user:pass-word@somewhere/v1']) {
    await expect(llmByName('some-model', { baseURL, env: {} })).rejects.toThrow(/^(?!.*pass-word)/);
  }
});

test.each(['anthropic/', 'openai/', ''])('%j names no model', async (name) => {
  await expect(llmByName(name, { env: { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k' } })).rejects.toThrow(
    InvalidRequestError,
  );
});
