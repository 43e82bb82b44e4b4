import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { UnknownAgentError } from './agent-start.js';
import type { Environment } from './agent-start.js';
import { agentStart } from './agents.js';

const url = 'http://127.0.0.1:4123/token';
const others = { NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' };
const upstream = 'https://models.example/v1';

/** Files of a user and of a project, from their paths below `home` and `project`. */
type Files = Readonly<Record<string, string | object>>;

async function started(command: string, parameters: readonly string[], env: Environment = {}, files: Files = {}) {
  const folder = await mkdtemp(path.join(tmpdir(), 'palimpsest-run-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [home, cwd] = [path.join(folder, 'home'), path.join(folder, 'project')];
  for (const [name, content] of Object.entries({ 'home/.keep': '', 'project/.keep': '', ...files })) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  const start = await agentStart({ command, parameters, env, cwd, home });
  return { ...start, ...start.through(url) };
}

const base = (value: string) => ({ env: { ANTHROPIC_BASE_URL: value } });

const claudeSettings = (parameters: readonly string[]) => {
  expect(parameters[0]).toBe('--settings');
  return JSON.parse(parameters[1] ?? '') as unknown;
};

it.each<[string, Environment, Files, readonly string[], string]>([
  ['nowhere', {}, {}, [], 'https://api.anthropic.com'],
  ['in the environment', { ANTHROPIC_BASE_URL: 'https://a.example' }, {}, [], 'https://a.example'],
  [
    "in the user's settings, which win over the environment",
    { ANTHROPIC_BASE_URL: 'https://a.example' },
    { 'home/.claude/settings.json': base('https://b.example') },
    [],
    'https://b.example',
  ],
  [
    'in a folder of settings that the user names',
    { CLAUDE_CONFIG_DIR: 'elsewhere' },
    { 'home/.claude/settings.json': base('https://b.example') },
    [],
    'https://api.anthropic.com',
  ],
  [
    "in the project's settings",
    {},
    {
      'home/.claude/settings.json': base('https://b.example'),
      'project/.claude/settings.json': base('https://c.example'),
    },
    [],
    'https://c.example',
  ],
  [
    'in the local settings',
    {},
    {
      'project/.claude/settings.json': base('https://c.example'),
      'project/.claude/settings.local.json': base('https://d.example'),
    },
    [],
    'https://d.example',
  ],
  [
    'in settings that are not read',
    {},
    { 'project/.claude/settings.json': base('https://c.example') },
    ['--setting-sources', 'user,local'],
    'https://api.anthropic.com',
  ],
  [
    'in settings of the command line',
    {},
    { 'project/.claude/settings.local.json': base('https://d.example') },
    ['--settings', JSON.stringify(base('https://e.example'))],
    'https://e.example',
  ],
  ['in settings that are broken', {}, { 'home/.claude/settings.json': '{' }, [], 'https://api.anthropic.com'],
])('finds the base URL of Claude Code %s', async (_, env, files, parameters, expected) => {
  const start = await started('/usr/bin/claude', [...parameters, '-p', 'hi'], env, files);
  expect(start.upstream).toBe(expected);
  expect(start.parameters.slice(-2)).toEqual(['-p', 'hi']);
  const search = expected === 'https://api.anthropic.com' ? { ENABLE_TOOL_SEARCH: 'true' } : {};
  expect(claudeSettings(start.parameters)).toEqual({ env: { ANTHROPIC_BASE_URL: url, ...others, ...search } });
});

it("joins Claude Code's settings with those that the user gives", async () => {
  const files = {
    'project/mine.json': { model: 'opus', env: { A: '1', NO_PROXY: 'a.example', ENABLE_TOOL_SEARCH: 'false' } },
    'home/.claude/settings.json': { env: { HTTPS_PROXY: 'http://proxy.example:3128' } },
  };
  const start = await started('claude', ['--settings=mine.json', '-p', '--', '--settings'], {}, files);
  const hosts = 'a.example,127.0.0.1';
  expect(claudeSettings(start.parameters)).toEqual({
    model: 'opus',
    env: { A: '1', ENABLE_TOOL_SEARCH: 'false', ANTHROPIC_BASE_URL: url, NO_PROXY: hosts, no_proxy: hosts },
  });
  expect(start.parameters.slice(2)).toEqual(['-p', '--', '--settings']);
  expect(start.network).toEqual({ HTTPS_PROXY: 'http://proxy.example:3128', NO_PROXY: 'a.example' });
});

const uncompressed = ['-c', 'features.enable_request_compression=false'];
const provider = { name: 'Mine', base_url: upstream };
const toml = (table: Readonly<Record<string, string>>) =>
  Object.entries(table)
    .map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`)
    .join('');

it.each<[string, Environment, Files, readonly string[], string, string, readonly string[]]>([
  ['nowhere', {}, {}, ['exec', 'hi'], 'https://api.openai.com/v1', 'openai_base_url', ['exec', 'hi']],
  [
    'in its configuration',
    { CODEX_HOME: '' },
    {},
    ['exec', '-c', `openai_base_url="${upstream}"`, '-c', 'model=gpt-5.5', 'hi'],
    upstream,
    'openai_base_url',
    ['exec', '-c', 'model=gpt-5.5', 'hi'],
  ],
  [
    "in the user's file",
    {},
    { 'home/.codex/config.toml': toml({ openai_base_url: upstream }) },
    [],
    upstream,
    'openai_base_url',
    [],
  ],
  [
    "in a provider of the user's",
    {},
    { 'home/.codex/config.toml': `${toml({ model_provider: 'mine' })}[model_providers.mine]\n${toml(provider)}` },
    [],
    upstream,
    'model_providers.mine.base_url',
    [],
  ],
  [
    'in a profile',
    {},
    {
      'home/.codex/config.toml': `[model_providers.mine]\n${toml(provider)}`,
      'home/.codex/work.config.toml': toml({ model_provider: 'mine' }),
    },
    ['--profile', 'work'],
    upstream,
    'model_providers.mine.base_url',
    ['--profile', 'work'],
  ],
  [
    'by a provider that the command line names, without the quotes of TOML',
    {},
    { 'home/.codex/config.toml': `[model_providers.mine]\n${toml(provider)}` },
    ['--config=model_provider=mine'],
    upstream,
    'model_providers.mine.base_url',
    ['--config=model_provider=mine'],
  ],
  [
    'with a login of ChatGPT',
    {},
    { 'home/.codex/auth.json': { auth_mode: 'chatgpt', tokens: {} } },
    [],
    'https://chatgpt.com/backend-api/codex',
    'openai_base_url',
    [],
  ],
  [
    'with a key in spite of a login of ChatGPT',
    { CODEX_API_KEY: 'key' },
    { 'home/.codex/auth.json': { tokens: {} } },
    ['exec'],
    'https://api.openai.com/v1',
    'openai_base_url',
    ['exec'],
  ],
])('finds the base URL of Codex %s', async (_, env, files, parameters, expected, key, rest) => {
  const start = await started('codex', parameters, { PATH: '', ...env }, files);
  expect(start.upstream).toBe(expected);
  expect(start.parameters).toEqual(['-c', `${key}="${url}"`, ...uncompressed, ...rest]);
  expect(start.env).toEqual(others);
});

it('asks Codex itself who is logged in, where no file says so', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'palimpsest-codex-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const command = path.join(folder, 'codex');
  await writeFile(command, '#!/bin/sh\n[ "$*" = "login status" ] && echo "Logged in using ChatGPT" >&2\n', {
    mode: 0o755,
  });
  expect((await started(command, [])).upstream).toBe('https://chatgpt.com/backend-api/codex');
});

it.each<[string, Environment, Files, readonly string[], string]>([
  ['nowhere', {}, {}, [], 'https://api.openai.com/v1'],
  [
    'in the environment',
    { OPENAI_BASE_URL: upstream },
    { 'project/.env': 'OPENAI_BASE_URL=https://a.example' },
    [],
    upstream,
  ],
  ['in the settings', {}, { 'home/.qwen/settings.json': { security: { auth: { baseUrl: upstream } } } }, [], upstream],
  [
    'in variables of the settings',
    {},
    { 'home/.qwen/settings.json': `{\n  // Ours\n  "env": { "OPENAI_BASE_URL": "${upstream}" }\n}` },
    [],
    upstream,
  ],
  ["in the user's .env", {}, { 'home/.qwen/.env': `OPENAI_BASE_URL="${upstream}"` }, [], upstream],
  [
    "in the project's .env, before the user's",
    {},
    { 'project/.qwen/.env': `OPENAI_BASE_URL=${upstream}`, 'home/.env': 'OPENAI_BASE_URL=https://a.example' },
    [],
    upstream,
  ],
  ['on the command line', { OPENAI_BASE_URL: 'https://a.example' }, {}, ['--openai-base-url', upstream], upstream],
])('finds the base URL of Qwen Code %s', async (_, env, files, parameters, expected) => {
  const start = await started('qwen', [...parameters, '-p', 'hi'], env, files);
  expect(start.upstream).toBe(expected);
  expect([start.parameters, start.env, start.file]).toEqual([
    ['-p', 'hi'],
    { OPENAI_BASE_URL: url, ...others },
    undefined,
  ]);
});

it('leads Qwen Code by settings of the system where its model has a base URL of its own', async () => {
  const models = [
    { id: 'one', baseUrl: 'https://a.example' },
    { id: 'two', baseUrl: '${BASE}/v1', envKey: 'KEY' },
  ];
  const files = {
    'home/.qwen/settings.json': { modelProviders: { openai: models }, model: { name: 'two' }, ui: { theme: 'x' } },
    'home/system.json': { telemetry: { enabled: false } },
  };
  const env = { BASE: 'https://models.example', QWEN_CODE_SYSTEM_SETTINGS_PATH: '' };
  const start = await started('qwen', [], env, files);
  expect(start.upstream).toBe(upstream);
  expect(start.file?.variable).toBe('QWEN_CODE_SYSTEM_SETTINGS_PATH');
  expect(JSON.parse(start.file?.text ?? '')).toEqual({
    modelProviders: { openai: [models[0], { ...models[1], baseUrl: url }] },
    model: { name: 'two', baseUrl: url },
  });
});

it('leads any other by the variable that its user names', async () => {
  const invocation = { command: 'aider', parameters: ['x'], cwd: '/', home: '/' };
  const env = { AIDER_BASE: upstream, no_proxy: 'a, b', NO_PROXY: 'b,c' };
  const start = await agentStart({ ...invocation, env }, 'AIDER_BASE');
  const hosts = 'a,b,c,127.0.0.1';
  expect(start.upstream).toBe(upstream);
  expect(start.through(url)).toEqual({
    parameters: ['x'],
    env: { AIDER_BASE: url, NO_PROXY: hosts, no_proxy: hosts },
  });
  await expect(agentStart({ ...invocation, env: {} }, 'AIDER_BASE')).rejects.toThrow(/AIDER_BASE is not set/);
});

it.each<[string, string, readonly string[], Environment, Files, RegExp]>([
  ['an agent that is not known', 'aider', [], {}, {}, /how 'aider' is told.*claude, codex, qwen/],
  ['a cloud', 'claude', [], { CLAUDE_CODE_USE_BEDROCK: '1' }, {}, /CLAUDE_CODE_USE_BEDROCK is set/],
  [
    'a cloud in settings',
    'claude',
    [],
    {},
    { 'home/.claude/settings.json': { env: { CLAUDE_CODE_USE_VERTEX: 1 } } },
    /CLAUDE_CODE_USE_VERTEX is set/,
  ],
  ['settings that are not there', 'claude', ['--settings', 'none.json'], {}, {}, /cannot be read: .*none\.json/],
  ['a cloud of Codex', 'codex', ['-c', 'model_provider="amazon-bedrock"'], {}, {}, /amazon-bedrock/],
  ['a model of this machine', 'codex', ['--oss'], {}, {}, /nothing to save/],
  ['another login of Qwen Code', 'qwen', ['--auth-type=gemini'], {}, {}, /logs in by gemini/],
])('refuses %s', async (_, command, parameters, env, files, message) => {
  const refused = started(command, parameters, env, files);
  await expect(refused).rejects.toThrow(message);
  await expect(refused).rejects.toBeInstanceOf(UnknownAgentError);
});

it('takes a cloud that is switched off for none', async () => {
  expect((await started('claude', [], { CLAUDE_CODE_USE_BEDROCK: '0' })).upstream).toBe('https://api.anthropic.com');
});
