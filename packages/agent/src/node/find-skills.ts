import { access, realpath } from 'node:fs/promises';
import path from 'node:path';
import { sliceText } from '@palimpsest/events';
import { InvalidSkillError, parseSkill } from '../prompts/index.js';
import { assertCount } from '../option-checks.js';
import type { Skill } from '../prompts/index.js';
import { isWithin, readGuarded } from './guarded-file.js';
import { instructionFileNames, instructionFilesOf } from './instruction-files.js';
import { markdownFilesBelow } from './markdown-files.js';

/** Options of {@link findSkills}. */
export interface FindSkillsOptions {
  readonly workingDirectory: string;
  /**
   * The outermost folder that is searched. @defaultValue the nearest folder upwards that holds `.git`, else the working
   * directory
   */
  readonly rootDirectory?: string;
  /** Folders of the user; weaker than the repository. Nothing is created in them. @defaultValue none */
  readonly userDirectories?: readonly string[];
  /** The maximum length of an instruction file. A longer one is cut, and says so. Unit: characters. @defaultValue 32000 */
  readonly maxCharacters?: number;
}

/** The skills that were found, the weakest first, and the files that could not be used. */
export interface FoundSkills {
  readonly skills: readonly Skill[];
  /** One for each file that was skipped. */
  readonly problems: readonly InvalidSkillError[];
}

/** The folders of skills, the weakest first. A user's folder holds `skills` and `microagents`. */
const projectFolders = ['.openhands/microagents', '.palimpsest/skills'];
const userFolders = ['microagents', 'skills'];

/**
 * Finds the skills and instruction files for a working directory. Each folder from the root down to the working directory
 * contributes its {@link instructionFileNames}, always on, and the markdown files below `.openhands/microagents` and
 * `.palimpsest/skills`, without `README.md`. Files nearer to the working directory are stronger; of two skills with one name
 * the stronger is kept, and a file that is linked or copied under several names is included once. A broken file is a problem,
 * and the others are still found. An instruction file is named by its path from the root, a user's file by its whole path.
 *
 * @throws RangeError when `maxCharacters` is not a whole number of at least 1, or the working directory is not in the root;
 *   what the file system throws when one of the folders is missing.
 */
export async function findSkills(options: FindSkillsOptions): Promise<FoundSkills> {
  const { maxCharacters = 32_000 } = options;
  assertCount('maxCharacters', maxCharacters, 1);
  // The real path, so that the repository around it is found, whatever links lead to it.
  const workingDirectory = await realpath(options.workingDirectory);
  const root = await (options.rootDirectory === undefined ? rootOf(workingDirectory) : realpath(options.rootDirectory));
  const places = [
    ...(options.userDirectories ?? []).map((directory) => {
      const folder = path.resolve(directory);
      // Links of the user may lead anywhere. The files have whole paths, so that the model can find them.
      return { folder, within: path.parse(folder).root, nameOf: (file: string) => file, inside: userFolders };
    }),
    ...foldersBetween(root, workingDirectory).map((folder) => ({
      folder,
      within: root,
      nameOf: (file: string) => path.relative(root, file),
      inside: projectFolders,
    })),
  ];
  const problems: InvalidSkillError[] = [];
  const found: (Skill | undefined)[] = [];
  const attempt = async <T>(action: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await action();
    } catch (error) {
      if (!InvalidSkillError.isInstance(error)) throw error;
      problems.push(error);
      return undefined;
    }
  };
  for (const { folder, within, nameOf, inside } of places) {
    for (const file of await instructionFilesOf(folder)) {
      found.push(await attempt(() => instruction(file, { within, name: slashed(nameOf(file)), maxCharacters })));
    }
    for (const skills of inside.map((each) => path.join(folder, each))) {
      for (const file of (await attempt(() => markdownFilesBelow(skills, within))) ?? []) {
        found.push(await attempt(() => skillOf(file, { within, folder: skills })));
      }
    }
  }
  return { skills: eachOnce(found.filter((skill) => skill !== undefined)), problems };
}

async function instruction(
  file: string,
  options: { readonly within: string; readonly name: string; readonly maxCharacters: number },
): Promise<Skill | undefined> {
  const read = await readGuarded(file, options.within);
  const text = read?.trim() ?? '';
  if (text === '' || isPointer(text)) return undefined;
  const { maxCharacters, name } = options;
  const shown = sliceText(text, 0, maxCharacters);
  const rest = text.length - shown.length;
  const content = rest > 0 ? `${shown}\n[${rest} more characters stand in ${name}]` : text;
  return { name, kind: 'always', content, triggers: [], inputs: [] };
}

/** Some files only refer to another one, as `@AGENTS.md`, which is found by itself. */
function isPointer(text: string): boolean {
  return instructionFileNames.some((name) => text === `@${name}` || text === `@./${name}`);
}

async function skillOf(
  file: string,
  { within, folder }: { readonly within: string; readonly folder: string },
): Promise<Skill | undefined> {
  const read = await readGuarded(file, within);
  if (read === undefined) return undefined;
  const name = slashed(path.relative(folder, file)).replace(/\.md$/i, '');
  return parseSkill(read, { file, name });
}

/** Removes duplicates by name or by text (a copy, a link). The stronger one, which comes later, is kept. */
function eachOnce(found: readonly Skill[]): readonly Skill[] {
  const seen = new Set<string>();
  const kept: Skill[] = [];
  for (const skill of found.toReversed()) {
    const keys = [`name ${skill.name}`, `text ${skill.kind} ${skill.triggers.join()} ${skill.content}`];
    if (keys.some((key) => seen.has(key))) continue;
    for (const key of keys) seen.add(key);
    kept.push(skill);
  }
  return kept.reverse();
}

async function rootOf(directory: string): Promise<string> {
  for (let folder = directory; ; folder = path.dirname(folder)) {
    const isRoot = await access(path.join(folder, '.git')).then(
      () => true,
      () => false,
    );
    if (isRoot) return folder;
    if (path.dirname(folder) === folder) return directory;
  }
}

function foldersBetween(root: string, directory: string): readonly string[] {
  const steps = path.relative(root, directory);
  if (!isWithin(directory, root)) throw new RangeError(`The working directory '${directory}' is not in '${root}'.`);
  const parts = steps === '' ? [] : steps.split(path.sep);
  return [root, ...parts.map((_, index) => path.join(root, ...parts.slice(0, index + 1)))];
}

function slashed(file: string): string {
  return file.split(path.sep).join('/');
}
