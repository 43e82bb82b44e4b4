import { shownServer } from '@palimpsest/mcp/config';
import type { McpServerSettings } from '@palimpsest/mcp/config';
import type { ProjectFile } from './project-file.js';
import { defaultSettings } from './settings.js';
import type { SettingsValues } from './settings.js';
import { mergeSettings } from './settings-layers.js';
import { untrustedPart } from './untrusted-values.js';
import { withoutSecrets } from './without-secrets.js';

/**
 * What counts of a project's configuration because it is trusted: a line for each value, with paths as they hold. What may be a key is
 * not shown. Characters that nobody would see are: an escape, a line break, a space without a width.
 */
export function trustedValues(values: SettingsValues, { folder, file }: ProjectFile): readonly string[] {
  const { ignored } = untrustedPart(values, defaultSettings);
  const { origins } = mergeSettings([{ origin: 'project', folder, file, values }]);
  return origins
    .filter(({ name, origin }) => origin === 'project' && ignored.some((each) => isPart(name, each)))
    .map(({ name, value }) => `${name} = ${visible(JSON.stringify(shownValue(name, value)))}`);
}

function isPart(name: string, setting: string): boolean {
  return name === setting || name.startsWith(`${setting}.`);
}

function shownValue(name: string, value: unknown): unknown {
  if (!name.startsWith('mcp.servers.')) return withoutSecrets(value);
  const server = value as McpServerSettings;
  const { env: references = {}, headers, ...others } = shownServer(server);
  // A variable can change what a program does, so whoever trusts it has to see it.
  const variables = Object.entries(server.env ?? {}).map(([key, text]) => {
    const isShown = references[key] === text || !mayBeSecret(key);
    return [key, isShown ? withoutSecrets(text) : '[secret]'];
  });
  return {
    ...(withoutSecrets(others) as object),
    ...(headers === undefined ? {} : { headers }),
    ...(server.env === undefined ? {} : { env: Object.fromEntries(variables) as object }),
  };
}

function mayBeSecret(name: string): boolean {
  return /key|token|secret|credential|auth|pass|cookie|session/i.test(name);
}

/** Control and format characters, and every space but the usual one, as JSON writes them. */
function visible(json: string): string {
  return json.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu, (character) =>
    character.split('').map(unicodeEscape).join(''),
  );
}

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
