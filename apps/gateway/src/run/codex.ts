import { field, isRecord } from '@palimpsest/messages';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'smol-toml';
import { UnknownAgentError, withLoopback } from './agent-start.js';
import type { AgentStart, Invocation } from './agent-start.js';
import { splitParameters } from './parameters.js';
import { settingsIn } from './settings-file.js';
import type { Settings } from './settings-file.js';

const bases = { key: 'https://api.openai.com/v1', chatGPT: 'https://chatgpt.com/backend-api/codex' };
/** Both say `key=value`, in TOML. */
const overrides = ['-c', '--config'];
/** The time that Codex has to say who is logged in. Unit: milliseconds. */
const statusTimeoutMs = 5_000;

/**
 * Returns how Codex is led to the gateway: by `-c`, which wins over its files. Its base URL is that of the provider in force: the one of the
 * user's that `model_provider` names, or OpenAI, which has another for a login of ChatGPT.
 *
 * @throws {@link UnknownAgentError} when a cloud signs its requests, or a model of this machine answers them
 */
export async function codexStart(invocation: Invocation): Promise<AgentStart> {
  const { parameters, env } = invocation;
  if (parameters.includes('--oss'))
    throw new UnknownAgentError('With --oss Codex asks a model of this machine: there is nothing to save.');
  const config = await configOf(invocation);
  const chosen = config['model_provider'];
  const provider = typeof chosen === 'string' ? chosen : 'openai';
  if (provider === 'amazon-bedrock')
    throw new UnknownAgentError(
      'model_provider is amazon-bedrock: requests to that cloud are signed for it, and cannot go through a gateway.',
    );
  const keys = provider === 'openai' ? ['openai_base_url'] : ['model_providers', provider, 'base_url'];
  const named = keys.reduce<unknown>(field, config);
  const key = keys.join('.');
  const usual = async () => ((await isChatGPT(invocation)) ? bases.chatGPT : bases.key);
  return {
    upstream: typeof named === 'string' ? named : await usual(),
    through: (url) => {
      const { others } = splitParameters(parameters, overrides, (value) => keyOf(value) === key);
      const ours = ['-c', `${key}="${url}"`, '-c', 'features.enable_request_compression=false'];
      return { parameters: [...ours, ...others], env: withLoopback(env) };
    },
  };
}

const keyOf = (override: string) => override.split('=')[0]?.trim();

function folderOf({ env, home }: Invocation): string {
  return env['CODEX_HOME'] || path.join(home, '.codex');
}

/** Returns what is configured: files, then the user's own parameters. A project's file may not say where Codex sends to. */
async function configOf(invocation: Invocation): Promise<Settings> {
  const { parameters } = invocation;
  const profile = splitParameters(parameters, ['--profile', '-p']).given.at(-1)?.value;
  const folder = folderOf(invocation);
  const files = [
    '/etc/codex/config.toml',
    path.join(folder, 'config.toml'),
    ...(profile === undefined ? [] : [path.join(folder, `${profile}.config.toml`)]),
  ];
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  const given = splitParameters(parameters, overrides).given.map(({ value }) => tableOf(value));
  return [...texts.map(tomlOf), ...given].reduce<Settings>(merged, {});
}

/** A value that is no TOML is meant as a text. */
function tableOf(override: string): Settings {
  const at = override.indexOf('=');
  const [key, value] = [override.slice(0, at), override.slice(at + 1)];
  const read = tomlOf(`${key}=${value}`);
  return Object.keys(read).length > 0 ? read : tomlOf(`${key}=${JSON.stringify(value)}`);
}

/** A file that is no TOML is Codex's to refuse. */
function tomlOf(text: string): Settings {
  try {
    return parse(text);
  } catch {
    return {};
  }
}

function merged(one: Settings, other: Settings): Settings {
  const both = Object.entries(other).map(([key, value]) => {
    const before = one[key];
    return [key, isTable(before) && isTable(value) ? merged(before, value) : value] as const;
  });
  return { ...one, ...Object.fromEntries<unknown>(both) };
}

const isTable = (value: unknown): value is Settings => isRecord(value) && !Array.isArray(value);

/** Returns true if ChatGPT's login is in force, and no key. A login may lie in the system's key ring: Codex itself is asked. */
async function isChatGPT(invocation: Invocation): Promise<boolean> {
  const { command, parameters, env } = invocation;
  const isExec = parameters.some((parameter) => parameter === 'exec' || parameter === 'e');
  if (isExec && (env['CODEX_API_KEY'] ?? '') !== '') return false;
  const login = await settingsIn(path.join(folderOf(invocation), 'auth.json'));
  if (typeof login['auth_mode'] === 'string') return login['auth_mode'].startsWith('chatgpt');
  if (isRecord(login['tokens'])) return typeof login['OPENAI_API_KEY'] !== 'string';
  if (Object.keys(login).length > 0) return false;
  const asked = await promisify(execFile)(command, ['login', 'status'], {
    env: { ...env },
    timeout: statusTimeoutMs,
  }).catch(() => undefined);
  return /chatgpt/i.test(`${asked?.stdout}${asked?.stderr}`);
}
