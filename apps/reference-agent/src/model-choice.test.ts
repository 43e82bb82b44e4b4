import { expect, test } from 'vitest';
import { apiKeys, chooseModel, MissingApiKeyError } from './model-choice.js';

test('without a name: the offline model, whatever keys there are', () => {
  expect(chooseModel(undefined, { OPENAI_API_KEY: 'k' }).model).toBe('offline');
});

test.each([
  ['some-model', { OPENAI_API_KEY: 'k' }, 'some-model'],
  ['openai:claude-like', { OPENAI_API_KEY: 'k' }, 'claude-like'],
  ['claude-something', { ANTHROPIC_API_KEY: 'k' }, 'claude-something'],
  ['anthropic:something', { ANTHROPIC_API_KEY: 'k' }, 'something'],
])('%s with %j', (name, env, model) => {
  expect(chooseModel(name, env).model).toBe(model);
});

test.each([
  ['some-model', { ANTHROPIC_API_KEY: 'k' }, 'OPENAI_API_KEY'],
  ['claude-something', { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: '' }, 'ANTHROPIC_API_KEY'],
  ['anthropic:something', {}, 'ANTHROPIC_API_KEY'],
])('%s with %j names the variable that is missing', (name, env, variable) => {
  expect(() => chooseModel(name, env)).toThrow(MissingApiKeyError);
  expect(() => chooseModel(name, env)).toThrow(variable);
});

test('the keys of all providers are known, whichever model was chosen; what is too short is none', () => {
  const env = { OPENAI_API_KEY: 'sk-1234567', ANTHROPIC_API_KEY: 'k', HOME: '/home/somebody' };
  expect(apiKeys(env)).toEqual({ OPENAI_API_KEY: 'sk-1234567' });
});
