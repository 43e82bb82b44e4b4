import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { InvalidSkillError } from '../prompts/index.js';
import { ifThere } from './file-errors.js';
import { isWithin } from './guarded-file.js';

/** The limit of entries, links included. A larger folder is not a folder of skills. */
const maxEntries = 2_000;

/** What a folder of skills holds. */
export interface SkillFiles {
  /** Each `SKILL.md`. What else stands in its folder belongs to the skill, and is not looked at. */
  readonly manifests: readonly string[];
  /** The other markdown files. */
  readonly documents: readonly string[];
  /** Links to folders outside, which are not followed. */
  readonly outside: readonly string[];
}

/**
 * The paths of the skills below a folder, without `README.md`, in an order that does not depend on the disk. Each
 * folder is read once, whatever links lead to it. Empty if there is no such folder, or it may not be read.
 *
 * @throws {@link InvalidSkillError} when there are more than 2,000 entries below the folder.
 */
export async function skillFilesBelow(folder: string, within: string): Promise<SkillFiles> {
  const root = await ifThere(realpath(within));
  const manifests: string[] = [];
  const documents: string[] = [];
  const outside: string[] = [];
  const seen = new Set<string>();
  let entriesSeen = 0;
  const visit = async (directory: string): Promise<void> => {
    const real = await ifThere(realpath(directory));
    if (root === undefined || real === undefined || seen.has(real)) return;
    seen.add(real);
    if (!isWithin(real, root)) return void outside.push(directory);
    const entries = (await ifThere(readdir(directory, { withFileTypes: true }))) ?? [];
    const named = entries.filter(({ name }) => /^skill\.md$/i.test(name)).map(({ name }) => name);
    const [manifest] = named.toSorted((a, b) => (a < b ? -1 : 1));
    if (manifest !== undefined) return void manifests.push(path.join(directory, manifest));
    entriesSeen += entries.length;
    if (entriesSeen > maxEntries) {
      throw new InvalidSkillError(folder, `holds more than ${maxEntries} files; none of them is read.`);
    }
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const file = path.join(directory, entry.name);
      const isFolder = entry.isSymbolicLink()
        ? (await ifThere(stat(file)))?.isDirectory() === true
        : entry.isDirectory();
      if (isFolder) await visit(file);
      else if (/\.md$/i.test(entry.name) && entry.name.toLowerCase() !== 'readme.md') documents.push(file);
    }
  };
  await visit(folder);
  return { manifests, documents, outside };
}
