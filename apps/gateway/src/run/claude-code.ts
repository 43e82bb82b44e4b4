import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isOn, networkOf, UnknownAgentError, withLoopback } from './agent-start.js';
import type { AgentStart, Environment, Invocation } from './agent-start.js';
import { splitParameters } from './parameters.js';
import { settingsIn, settingsOf, textsOf } from './settings-file.js';
import type { Settings } from './settings-file.js';

/** Variables with which Claude Code goes to a cloud that signs its requests. */
const clouds = [
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_MANTLE',
  'CLAUDE_CODE_USE_ANTHROPIC_AWS',
  'CLAUDE_CODE_USE_VERTEX',
  'CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD',
  'CLAUDE_CODE_USE_FOUNDRY',
];

const variable = 'ANTHROPIC_BASE_URL';
const itsOwn = 'api.anthropic.com';

/**
 * Returns how Claude Code is led to the gateway: by settings of its command line. The variables of the user's settings would win over those of
 * the environment; they lose against these.
 *
 * @throws {@link UnknownAgentError} when a cloud signs its requests, or settings that nobody can overrule say where it sends to
 */
export async function claudeCodeStart(invocation: Invocation): Promise<AgentStart> {
  const { parameters, env } = invocation;
  const { given, others } = splitParameters(parameters, ['--settings']);
  const own = await givenSettings(given.at(-1)?.value, invocation);
  const managed = textsOf((await settingsIn(managedFile())).env);
  const used: Environment = { ...env, ...(await variablesOfFiles(invocation)), ...textsOf(own.env), ...managed };
  const cloud = clouds.find((name) => isOn(used[name]));
  if (cloud !== undefined)
    throw new UnknownAgentError(
      `${cloud} is set: requests to that cloud are signed for it, and cannot go through a gateway.`,
    );
  if (managed[variable] !== undefined)
    throw new UnknownAgentError(`The administrator's settings say where Claude Code sends to: ${managedFile()}.`);
  const upstream = used[variable] ?? `https://${itsOwn}`;
  return {
    upstream,
    network: networkOf(used),
    through: (url) => {
      const added = { ...toolSearch(upstream, used), [variable]: url, ...withLoopback(used) };
      const settings = { ...own, env: { ...textsOf(own.env), ...added } };
      return { parameters: ['--settings', JSON.stringify(settings), ...others], env: {} };
    },
  };
}

/** Behind a base URL that is not Anthropic's, Claude Code sends the definitions of all tools at once, unless it is told that it need not. */
function toolSearch(upstream: string, { ENABLE_TOOL_SEARCH: own }: Environment): Environment {
  return own === undefined && URL.canParse(upstream) && new URL(upstream).host === itsOwn
    ? { ENABLE_TOOL_SEARCH: 'true' }
    : {};
}

/** Returns the settings that the user gives himself: a file, or JSON. */
async function givenSettings(value: string | undefined, { cwd }: Invocation): Promise<Settings> {
  if (value === undefined) return {};
  if (value.trimStart().startsWith('{')) return settingsOf(value);
  const file = path.resolve(cwd, value);
  const text = await readFile(file, 'utf8').catch(() => {
    throw new UnknownAgentError(`The settings cannot be read: ${file}.`);
  });
  return settingsOf(text);
}

/** Returns the variables that settings of the user and of the project set; later files win. */
async function variablesOfFiles({ parameters, env, cwd, home }: Invocation): Promise<Environment> {
  const [sources] = splitParameters(parameters, ['--setting-sources']).given;
  const read = sources?.value.split(',').map((source) => source.trim()) ?? ['user', 'project', 'local'];
  const files = {
    user: path.join(env['CLAUDE_CONFIG_DIR'] || path.join(home, '.claude'), 'settings.json'),
    project: path.join(cwd, '.claude/settings.json'),
    local: path.join(cwd, '.claude/settings.local.json'),
  };
  let variables: Environment = {};
  for (const source of ['user', 'project', 'local'] as const)
    if (read.includes(source)) variables = { ...variables, ...textsOf((await settingsIn(files[source])).env) };
  return variables;
}

function managedFile(): string {
  switch (process.platform) {
    case 'darwin':
      return '/Library/Application Support/ClaudeCode/managed-settings.json';
    case 'win32':
      return String.raw`C:\Program Files\ClaudeCode\managed-settings.json`;
    default:
      return '/etc/claude-code/managed-settings.json';
  }
}
