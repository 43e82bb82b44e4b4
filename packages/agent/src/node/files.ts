import { constants } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { InvalidSkillError } from '../prompts/index.js';
import { visibleText } from '../prompts/untrusted-text.js';

const maxBytes = 1_048_576;

/**
 * Reads a file that goes into a prompt. Undefined if there is no file.
 *
 * @throws {@link InvalidSkillError} when a link leads out of `within`, so that a repository cannot show the model files of
 *   its user; when it is a pipe or a device, is larger than 1 MiB, is not text, or cannot be read. Characters that nobody sees
 *   are left out.
 */
export async function readGuarded(file: string, within: string): Promise<string | undefined> {
  try {
    const [realPath, root] = await Promise.all([realpath(file), realpath(within)]);
    if (!isWithin(realPath, root)) {
      throw new InvalidSkillError(file, `is a link that leads out of '${within}' and is not read.`);
    }
    // Opened before it is looked at, so that it cannot be exchanged in between, and without waiting for a writer of a pipe.
    const opened = await open(realPath, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const entry = await opened.stat();
      if (entry.isDirectory()) return undefined;
      if (!entry.isFile()) throw new InvalidSkillError(file, 'is a pipe or a device and is not read.');
      if (entry.size > maxBytes)
        throw new InvalidSkillError(file, `has ${entry.size} bytes; at most ${maxBytes} are read.`);
      const text = await opened.readFile('utf8');
      if (text.includes('\0')) throw new InvalidSkillError(file, 'is not a text.');
      return visibleText(text);
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (InvalidSkillError.isInstance(error)) throw error;
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR')) return undefined;
    throw new InvalidSkillError(file, `cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** Reports whether a path is the folder or below it. Both must be real paths: without links, dots and a separator at the end. */
export function isWithin(file: string, folder: string): boolean {
  return file === folder || file.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
}

/**
 * The names of instruction files for agents, the weakest first. Case does not matter. Of files that differ in case only, the one
 * written as here is read, else the first in alphabetical order.
 */
export const instructionFileNames = [
  '.openhands_instructions',
  '.clinerules',
  '.windsurfrules',
  '.cursorrules',
  '.github/copilot-instructions.md',
  'GEMINI.md',
  'CLAUDE.md',
  'AGENT.md',
  'AGENTS.md',
] as const;

/** Returns the paths of the instruction files of one folder, the weakest first. */
export async function instructionFilesOf(folder: string): Promise<readonly string[]> {
  const listings = new Map<string, readonly string[]>();
  const found: string[] = [];
  for (const name of instructionFileNames) {
    const parent = path.join(folder, path.dirname(name));
    const entries = listings.get(parent) ?? (await ifThere(readdir(parent))) ?? [];
    listings.set(parent, entries);
    const wanted = path.basename(name);
    const matching = entries.filter((entry) => entry.toLowerCase() === wanted.toLowerCase()).sort();
    const entry = matching.includes(wanted) ? wanted : matching[0];
    if (entry !== undefined) found.push(path.join(parent, entry));
  }
  return found;
}

/** Reports whether an error is one of the file system with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** Resolves to undefined if the file is missing, may not be read, lies too deep to be named, or is a link that leads nowhere or to itself. */
export async function ifThere<T>(attempt: Promise<T>): Promise<T | undefined> {
  try {
    return await attempt;
  } catch (error) {
    return undefinedIfNotThere(error);
  }
}

/** Reads as {@link ifThere} does, for what is read at once. */
export function ifThereSync<T>(attempt: () => T): T | undefined {
  try {
    return attempt();
  } catch (error) {
    return undefinedIfNotThere(error);
  }
}

function undefinedIfNotThere(error: unknown): undefined {
  if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG')) return undefined;
  throw error;
}
