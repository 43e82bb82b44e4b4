import { isRecord } from '@palimpsest/messages';
import { readFile } from 'node:fs/promises';

/** Settings of an agent, as a file holds them. */
export type Settings = Readonly<Record<string, unknown>>;

/** Reads settings in JSON, with lines that are comments. Empty if there is no such file, or if it holds none: that is the agent's to say. */
export async function settingsIn(file: string): Promise<Settings> {
  return settingsOf(await readFile(file, 'utf8').catch(() => ''));
}

/** Reads settings from a text. */
export function settingsOf(text: string): Settings {
  try {
    const value: unknown = JSON.parse(text.replaceAll(/^\s*\/\/.*$/gm, ''));
    return isRecord(value) && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}

/** Returns the texts of an object: its variables, where it is an environment. */
export function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isRecord(value)) return {};
  const written = Object.entries(value).map(([name, each]) => [name, scalarText(each)] as const);
  return Object.fromEntries(written.flatMap(([name, each]) => (each === undefined ? [] : [[name, each]])));
}

function scalarText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}
