import { expect, it } from 'vitest';
import { agentStart, UnknownAgentError } from './agents.js';

const url = 'http://127.0.0.1:4123/token';

it.each([
  [
    'claude',
    {},
    'https://api.anthropic.com',
    ['--settings', `{"env":{"ANTHROPIC_BASE_URL":"${url}","NO_PROXY":"127.0.0.1"}}`, '-p', 'hi'],
    {},
  ],
  [
    '/usr/bin/claude',
    { ANTHROPIC_BASE_URL: 'https://proxy.example', NO_PROXY: 'a,b' },
    'https://proxy.example',
    ['--settings', `{"env":{"ANTHROPIC_BASE_URL":"${url}","NO_PROXY":"a,b,127.0.0.1"}}`, '-p', 'hi'],
    {},
  ],
  [
    'codex',
    {},
    'https://api.openai.com/v1',
    ['-c', `openai_base_url="${url}"`, '-c', 'features.enable_request_compression=false', '-p', 'hi'],
    {},
  ],
  [
    'qwen',
    { OPENAI_BASE_URL: 'https://models.example/v1' },
    'https://models.example/v1',
    ['-p', 'hi'],
    { OPENAI_BASE_URL: url, NO_PROXY: '127.0.0.1' },
  ],
])('leads %s here', (command, env, upstream, parameters, added) => {
  const start = agentStart(command, env);
  expect(start.upstream).toBe(upstream);
  expect(start.through(url, ['-p', 'hi'])).toEqual({ parameters, env: added });
});

it('leads any other by the variable that its user names', () => {
  const start = agentStart('aider', { AIDER_BASE: 'https://one.example' }, 'AIDER_BASE');
  expect(start.upstream).toBe('https://one.example');
  expect(start.through(url, []).env).toEqual({ AIDER_BASE: url, NO_PROXY: '127.0.0.1' });
});

it.each([
  ['an agent that is not known', 'aider', {}, undefined, /how 'aider' is told.*claude, codex, qwen/],
  ['a variable that is not set', 'aider', {}, 'AIDER_BASE', /AIDER_BASE is not set/],
  ['a cloud that signs', 'claude', { CLAUDE_CODE_USE_BEDROCK: '1' }, undefined, /CLAUDE_CODE_USE_BEDROCK is set/],
])('refuses %s', (_, command, env, variable, message) => {
  expect(() => agentStart(command, env, variable)).toThrow(UnknownAgentError);
  expect(() => agentStart(command, env, variable)).toThrow(message);
});
