import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { secretMask } from '@palimpsest/agent';
import { coloursFor, cutToWidth, printableLine, printableJson } from '@palimpsest/terminal';
import { UsageError } from '../context.js';
import type { CliContext } from '../context.js';
import { apiKeys } from '../agent/models.js';
import { loadSettings } from '../settings/load-settings.js';
import type { LoadedSettings, SettingOrigin } from '../settings/load-settings.js';
import { settingKeys, settingsJsonSchema } from '../settings/settings.js';
import { shownServer } from '@palimpsest/mcp/config';
import type { McpServerSettings } from '@palimpsest/mcp/config';
import { forgetRule } from '../settings/user-files.js';
import { savedRulesFile } from '../settings/user-folders.js';

/** Options of `palimpsest config`, as the command line gives them. */
export interface ConfigFlags {
  readonly json?: boolean;
  readonly schema?: boolean;
  /** A rule of an answer that counts no longer. */
  readonly forget?: string;
  readonly cwd?: string;
  readonly config?: string;
}

/**
 * Prints the settings with their origins, or their schema, or forgets a rule.
 *
 * @throws the errors of `loadSettings`; {@link UsageError} when there is no such rule to forget.
 */
export async function configCommand(
  flags: ConfigFlags,
  { env, cwd, stdout }: Pick<CliContext, 'env' | 'cwd' | 'stdout'>,
): Promise<void> {
  if (flags.schema === true) {
    stdout.write(`${JSON.stringify(settingsJsonSchema(), undefined, 2)}\n`);
    return;
  }
  const folder = resolve(cwd, flags.cwd ?? '');
  if (flags.forget !== undefined) {
    await forget(flags.forget, folder, env);
    stdout.write(`Forgotten: ${printableLine(flags.forget)}. Such calls are asked about again.\n`);
    return;
  }
  const loaded = await loadSettings({ folder, env, file: flags.config });
  const mask = secretMask(apiKeys(env));
  const origins = loaded.origins.map((each) => ({ ...each, value: shownValue(each) }));
  const { userFile, project } = loaded;
  if (flags.json === true) {
    stdout.write(`${mask.text(printableJson({ settings: origins, userFile, project }))}\n`);
    return;
  }
  const colors = coloursFor(stdout);
  const width = stdout.isTTY === true ? (stdout.columns ?? 80) : Infinity;
  const lines = linesOf({ ...loaded, origins }).map((line) => cutToWidth(onOneRow(mask.text(line)), width));
  const [head = '', ...rest] = lines;
  stdout.write(`${[colors.bold(head), ...rest, ...filesOf(loaded).map(printableLine)].join('\n')}\n`);
}

async function forget(rule: string, folder: string, env: CliContext['env']): Promise<void> {
  const real = await realpath(folder).catch(() => folder);
  if (await forgetRule(savedRulesFile(env), real, rule)) return;
  throw new UsageError(
    `No answer of yours made the rule '${rule}' in '${real}'. palimpsest config shows those that there are.`,
  );
}

/** Without what a terminal would obey; the columns stay. */
function onOneRow(line: string): string {
  return line
    .split(/( {2,})/)
    .map((part) => (/^ {2,}$/.test(part) ? part : printableLine(part)))
    .join('');
}

function linesOf({ origins }: LoadedSettings): readonly string[] {
  const rows = settingKeys.flatMap(({ name }) => {
    const values = origins.filter((each) => each.name === name || each.name.startsWith(`${name}.`));
    if (values.length === 0) return [[name, '-', '-']];
    return values.map(({ name: own, value, origin }, index) => [
      index === 0 || values[index - 1]?.name !== own ? own : '',
      origin,
      shown(value),
    ]);
  });
  const table = [['setting', 'from', 'value'], ...rows];
  const widths = [0, 1].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table.map(([name = '', origin = '', value = '']) =>
    `${name.padEnd(widths[0] ?? 0)}  ${origin.padEnd(widths[1] ?? 0)}  ${value}`.trimEnd(),
  );
}

function shownValue({ name, value }: SettingOrigin): unknown {
  return withoutSecrets(name.startsWith('mcp.servers.') ? shownServer(value as McpServerSettings) : value);
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function filesOf({ userFile, origins, project, notes, kept }: LoadedSettings): readonly string[] {
  const isRead = origins.some(({ origin }) => origin === 'user');
  const trust = project?.isTrusted === true ? 'trusted' : 'not trusted';
  return [
    '',
    `user: ${userFile}${isRead ? '' : ' (sets nothing)'}`,
    ...(project === undefined ? [] : [`project: ${project.file} (${trust})`]),
    ...(kept.rules.length === 0
      ? []
      : [`kept: ${kept.file} (rules of your answers in this folder; palimpsest config --forget 'RULE' removes one)`]),
    ...notes,
  ];
}

const secretNames = /key|token|secret|password|credential/i;
const passwordInAddress = /(\w[\w+.-]*:\/\/)[^\s/@]+@/g;
const secretParameter = /([?&][^=&\s]*(?:key|token|secret|password|credential|sig)[^=&\s]*=)[^&\s"]+/gi;
const authorization = /\b((?:bearer|basic)\s+)(?!\$\{)[^\s"']{6,}/gi;
/** Beginnings of the keys of providers and of code hosts. */
const knownForms = /\b(?:sk|pk|rk|gh[opsu]|github_pat|glpat|xox[abp]|AKIA)[-_A-Za-z0-9]{16,}/g;

/** Returns a value of a configuration for a screen: what may be a key is not shown, though a key has no place in a configuration. */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') {
    return value
      .replace(passwordInAddress, '$1[secret]@')
      .replace(secretParameter, '$1[secret]')
      .replace(authorization, '$1[secret]')
      .replace(knownForms, '[secret]');
  }
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      secretNames.test(name) && typeof one === 'string' ? '[secret]' : withoutSecrets(one),
    ]),
  );
}
