import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { ifThere } from './file-errors.js';

/**
 * The names of instruction files for agents, the weakest first. Case does not matter; of files that differ in case only, the
 * one written as here is read, else the first in alphabetical order.
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

/** The paths of the instruction files of one folder, the weakest first. */
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
