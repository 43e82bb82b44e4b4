import { MissingApiKeyError } from '@palimpsest/llm-adapters/by-name';
import { expect, test } from 'vitest';
import { chooseModel } from './demo-model.js';

test('without a name: the offline model, whatever keys there are', async () => {
  expect((await chooseModel(undefined, { OPENAI_API_KEY: 'k' })).model).toBe('offline');
});

test.each([
  ['some-model', { OPENAI_API_KEY: 'k' }, 'some-model'],
  ['openai:claude-like', { OPENAI_API_KEY: 'k' }, 'claude-like'],
  ['openai/claude-like', { OPENAI_API_KEY: 'k' }, 'claude-like'],
  ['claude-something', { ANTHROPIC_API_KEY: 'k' }, 'claude-something'],
  ['anthropic:something', { ANTHROPIC_API_KEY: 'k' }, 'something'],
])('%s with %j', async (name, env, model) => {
  expect((await chooseModel(name, env)).model).toBe(model);
});

test.each([
  ['some-model', { ANTHROPIC_API_KEY: 'k' }, 'OPENAI_API_KEY'],
  ['claude-something', { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: '' }, 'ANTHROPIC_API_KEY'],
  ['anthropic:something', {}, 'ANTHROPIC_API_KEY'],
])('%s with %j names the variable that is missing', async (name, env, variable) => {
  await expect(chooseModel(name, env)).rejects.toThrow(MissingApiKeyError);
  await expect(chooseModel(name, env)).rejects.toThrow(variable);
});
