import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { InvalidSkillError } from '../prompts/index.js';
import { ifThere } from './file-errors.js';
import { isWithin } from './guarded-file.js';

/** The limit of entries, links included. A larger folder is not a folder of skills. */
const maxEntries = 2_000;

/**
 * The paths of the markdown files below a folder, without `README.md`, in an order that does not depend on the disk. Each
 * folder is read once, whatever links lead to it. A linked folder outside `within` is not read, but listed itself, so that
 * the reader of the files refuses it. Empty if there is no such folder, or it may not be read.
 *
 * @throws {@link InvalidSkillError} when there are more than 2,000 entries below the folder.
 */
export async function markdownFilesBelow(folder: string, within: string): Promise<readonly string[]> {
  const root = await ifThere(realpath(within));
  const files: string[] = [];
  const seen = new Set<string>();
  let entriesSeen = 0;
  const visit = async (directory: string): Promise<void> => {
    const real = await ifThere(realpath(directory));
    if (root === undefined || real === undefined || seen.has(real)) return;
    seen.add(real);
    if (!isWithin(real, root)) return void files.push(directory);
    const entries = (await ifThere(readdir(directory, { withFileTypes: true }))) ?? [];
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
      else if (/\.md$/i.test(entry.name) && entry.name.toLowerCase() !== 'readme.md') files.push(file);
    }
  };
  await visit(folder);
  return files;
}
