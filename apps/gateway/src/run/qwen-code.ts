import { field, isRecord } from '@palimpsest/messages';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { networkOf, UnknownAgentError, withLoopback } from './agent-start.js';
import type { AgentStart, Environment, Invocation } from './agent-start.js';
import { splitParameters } from './parameters.js';
import { settingsIn, textsOf } from './settings-file.js';
import type { Settings } from './settings-file.js';

const variable = 'OPENAI_BASE_URL';
const option = '--openai-base-url';
/** Names the file of settings that win over the user's. */
const systemFile = 'QWEN_CODE_SYSTEM_SETTINGS_PATH';

/**
 * Returns how Qwen Code is led to the gateway: by `OPENAI_BASE_URL`, which its files do not change. Where the model in force has a base URL of
 * its own in `modelProviders`, which wins over all, by settings that win over the user's.
 *
 * @throws {@link UnknownAgentError} when it speaks to a provider that is told no base URL
 */
export async function qwenCodeStart(invocation: Invocation): Promise<AgentStart> {
  const { parameters, env } = invocation;
  const settings = await settingsOf(invocation);
  const used: Environment = { ...textsOf(settings['env']), ...(await variablesOfFiles(invocation)), ...env };
  const type = givenIn(parameters, ['--auth-type']) ?? text(settings, 'security', 'auth', 'selectedType') ?? 'openai';
  if (!type.startsWith('openai'))
    throw new UnknownAgentError(`Qwen Code logs in by ${type}: it goes through the gateway with --auth-type openai.`);
  const { others } = splitParameters(parameters, [option]);
  const model = givenIn(parameters, ['--model', '-m']) ?? text(settings, 'model', 'name') ?? used['OPENAI_MODEL'];
  const own = baseOfModel(settings, model);
  const base = own ?? givenIn(parameters, [option]) ?? used[variable] ?? text(settings, 'security', 'auth', 'baseUrl');
  return {
    upstream: withVariables(base ?? 'https://api.openai.com/v1', used),
    network: networkOf(used),
    through: (url) => ({
      parameters: others,
      env: { ...withLoopback(used), [variable]: url },
      file: own === undefined ? undefined : { variable: systemFile, text: withBase(settings, own, url) },
    }),
  };
}

function givenIn(parameters: readonly string[], names: readonly string[]): string | undefined {
  return splitParameters(parameters, names).given.at(-1)?.value;
}

function text(settings: Settings, ...keys: readonly string[]): string | undefined {
  const value = keys.reduce<unknown>(field, settings);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns the settings in force of those that say where requests go: of the system, over the project, over the user. */
async function settingsOf({ env, cwd, home }: Invocation): Promise<Settings> {
  const files = [
    path.join(folderOf({ env, home }), 'settings.json'),
    path.join(cwd, '.qwen/settings.json'),
    env[systemFile] || '/etc/qwen-code/settings.json',
  ];
  const [user = {}, project = {}, system = {}] = await Promise.all(files.map(settingsIn));
  return {
    ...{ ...user, ...project, ...system },
    env: { ...textsOf(user['env']), ...textsOf(project['env']), ...textsOf(system['env']) },
    system,
  };
}

function folderOf({ env, home }: Pick<Invocation, 'env' | 'home'>): string {
  return env['QWEN_HOME'] || path.join(home, '.qwen');
}

/** Returns the variables of the nearest `.env` of the project, or of a folder above, and of the user. The nearest win. */
async function variablesOfFiles({ env, cwd, home }: Invocation): Promise<Environment> {
  const files: string[] = [];
  for (let folder = cwd; folder !== home; folder = path.dirname(folder)) {
    files.push(path.join(folder, '.qwen/.env'), path.join(folder, '.env'));
    if (path.dirname(folder) === folder) break;
  }
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => undefined)));
  const nearest = texts.find((each) => each !== undefined) ?? '';
  const users = [path.join(folderOf({ env, home }), '.env'), path.join(home, '.env')];
  const [own = '', ofHome = ''] = await Promise.all(users.map((file) => readFile(file, 'utf8').catch(() => '')));
  return { ...parseEnv(ofHome), ...parseEnv(own), ...parseEnv(nearest) };
}

/** Returns the models that the user describes, by provider. */
function modelsOf(settings: Settings): readonly [string, readonly unknown[]][] {
  const providers = settings['modelProviders'];
  if (!isRecord(providers)) return [];
  return Object.entries(providers).map(([name, models]) => [name, Array.isArray(models) ? models : []]);
}

/** Returns the base URL of the model in force, where it has one of its own. */
function baseOfModel(settings: Settings, model: string | undefined): string | undefined {
  const chosen = modelsOf(settings).flatMap(([, models]) => models.filter((each) => field(each, 'id') === model));
  const bases = chosen.map((each) => field(each, 'baseUrl'));
  const persisted = text(settings, 'model', 'baseUrl');
  const base = persisted !== undefined && bases.includes(persisted) ? persisted : bases[0];
  return typeof base === 'string' && base !== '' ? base : undefined;
}

/** Returns the system's settings with the user's models, in which a URL stands in the place of their base URL. */
function withBase(settings: Settings, base: string, url: string): string {
  const modelProviders = Object.fromEntries(
    modelsOf(settings).map(([name, models]) => [
      name,
      models.map((each) => (isRecord(each) && each['baseUrl'] === base ? { ...each, baseUrl: url } : each)),
    ]),
  );
  const model = isRecord(settings['model']) ? { model: { ...settings['model'], baseUrl: url } } : {};
  return JSON.stringify({ ...(settings['system'] as Settings), modelProviders, ...model });
}

/** Settings may name variables: `${NAME}`, `$NAME`. */
function withVariables(base: string, env: Environment): string {
  return base.replaceAll(/\$\{?(\w+)\}?/g, (written, name: string) => env[name] ?? written);
}
