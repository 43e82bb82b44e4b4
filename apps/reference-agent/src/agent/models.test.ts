import { openaiServer } from '@palimpsest/provider-servers';
import { expect, onTestFinished, test } from 'vitest';
import { apiKeys, chooseModels, NoModelError } from './models.js';
import { defaultSettings } from '../settings/settings.js';

test('no model: what to set, and that there is a demo', async () => {
  const asked = chooseModels(defaultSettings, {});
  await expect(asked).rejects.toThrow(NoModelError);
  await expect(asked).rejects.toThrow(
    /ANTHROPIC_API_KEY or OPENAI_API_KEY.*--base-url.*does not work here.*\n.*palimpsest demo/,
  );
});

test('no model, but a key: the provider whose models can be named', async () => {
  await expect(chooseModels(defaultSettings, { MISTRAL_API_KEY: 'k' })).rejects.toThrow('--model mistral/name');
});

test('no key: the variable, and that there is a demo', async () => {
  const asked = chooseModels({ ...defaultSettings, model: 'mistral/codestral' }, {});
  await expect(asked).rejects.toThrow(NoModelError);
  await expect(asked).rejects.toThrow(/MISTRAL_API_KEY.*\n.*palimpsest demo/);
});

const request = { messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello?' }] }] };

test('effort is of the model that does the work', async () => {
  const server = await openaiServer({ reply: () => ({ message: { content: 'Hello.' } }) });
  onTestFinished(() => server.close());
  const names = { model: 'openai:gpt-6.1-sol', smallModel: 'openai:gpt-6-luna' };
  const settings = { ...defaultSettings, ...names, baseUrl: server.baseURL, effort: 'low' as const };
  const { llm, smallLlm } = await chooseModels(settings, {});
  await llm.complete(request);
  await smallLlm.complete(request);
  expect(JSON.stringify(server.requests[0]?.body)).toContain('"effort":"low"');
  expect(JSON.stringify(server.requests[1]?.body)).not.toContain('effort');
});

test('summaries have three tries, which the patience of the other model does not change', async () => {
  const server = await openaiServer({
    reply: () => ({ message: { content: 'Hi.' } }),
    faults: () => ({ fault: 'overloaded' }),
  });
  onTestFinished(() => server.close());
  const { smallLlm } = await chooseModels(
    { ...defaultSettings, model: 'm', baseUrl: server.baseURL },
    {},
    { minDelayMs: 0 },
  );
  await expect(smallLlm.complete(request)).rejects.toThrow();
  expect(server.requests).toHaveLength(3);
});

test('the keys of all providers are known, whichever model was chosen; what is too short is none', () => {
  const env = {
    OPENAI_API_KEY: 'sk-1234567',
    ANTHROPIC_API_KEY: 'k',
    PALIMPSEST_API_KEY: 'sk-12345678',
    HOME: '/home/x',
  };
  expect(apiKeys(env)).toEqual({ OPENAI_API_KEY: 'sk-1234567', PALIMPSEST_API_KEY: 'sk-12345678' });
});
