import { access, readdir } from 'node:fs/promises';
import path from 'node:path';
import { InvalidSkillError, parseSkill } from '../prompts/index.js';
import type { Skill } from '../prompts/index.js';
import { hasCode } from './file-errors.js';
import { readGuarded } from './guarded-file.js';
import { instructionFilesOf } from './instruction-files.js';

/** Options of {@link findSkills}. */
export interface FindSkillsOptions {
  readonly workingDirectory: string;
  /** The outermost folder that is looked into. @defaultValue the nearest one above that holds `.git`, else the working directory */
  readonly rootDirectory?: string;
  /** Folders of the user's own; weaker than the repository. Nothing is created in them. @defaultValue none */
  readonly userDirectories?: readonly string[];
  /** What is longer is cut, and says so. Unit: characters of one instruction file. @defaultValue 32000 */
  readonly maxCharacters?: number;
}

/** What was found, the weakest first, and what could not be used. */
export interface FoundSkills {
  readonly skills: readonly Skill[];
  /** One for each file that was passed over. */
  readonly problems: readonly InvalidSkillError[];
}

/** In which folders skills stand, the weakest first. A user's own folder has `skills` and `microagents`. */
const projectFolders = ['.openhands/microagents', '.palimpsest/skills'];
const userFolders = ['microagents', 'skills'];

/**
 * The skills and instruction files for a working directory. Each folder from the root down to the working directory gives its
 * {@link instructionFileNames}, always on, and the markdown below `.openhands/microagents` and `.palimpsest/skills`
 * (`README.md` is none). What stands nearer to the working directory counts more; of two skills with one name the stronger
 * is kept, and a file that is linked or copied under several names is included once. A broken file is a problem, and the
 * others are found all the same.
 */
export async function findSkills(options: FindSkillsOptions): Promise<FoundSkills> {
  const workingDirectory = path.resolve(options.workingDirectory);
  const root =
    options.rootDirectory === undefined ? await rootOf(workingDirectory) : path.resolve(options.rootDirectory);
  const places = [
    ...(options.userDirectories ?? []).map((folder) => ({
      folder,
      root: folder,
      // A user's own links lead where the user wants them to.
      within: path.parse(path.resolve(folder)).root,
      prefix: 'user/',
      inside: userFolders,
    })),
    ...foldersBetween(root, workingDirectory).map((folder) => ({
      folder,
      root,
      within: root,
      prefix: '',
      inside: projectFolders,
    })),
  ];
  const problems: InvalidSkillError[] = [];
  const found: Skill[] = [];
  const attempt = async (action: () => Promise<Skill | undefined>) => {
    try {
      const one = await action();
      if (one !== undefined) found.push(one);
    } catch (error) {
      if (!InvalidSkillError.isInstance(error)) throw error;
      problems.push(error);
    }
  };
  for (const { folder, root: from, within, prefix, inside } of places) {
    for (const file of await instructionFilesOf(folder)) {
      const name = prefix + slashed(path.relative(from, file));
      await attempt(() => instruction(file, { within, name, maxCharacters: options.maxCharacters ?? 32_000 }));
    }
    for (const skills of inside.map((each) => path.join(folder, each))) {
      for (const file of await markdownBelow(skills)) {
        await attempt(() => skillOf(file, { within, folder: skills }));
      }
    }
  }
  return { skills: eachOnce(found), problems };
}

async function instruction(
  file: string,
  options: { readonly within: string; readonly name: string; readonly maxCharacters: number },
): Promise<Skill | undefined> {
  const read = await readGuarded(file, options.within);
  const text = read?.trim() ?? '';
  // Some files only point to another one, which is found by itself.
  if (text === '' || /^@\S+$/.test(text)) return undefined;
  const { maxCharacters, name } = options;
  const rest = text.length - maxCharacters;
  const content = rest > 0 ? `${text.slice(0, maxCharacters)}\n[${rest} more characters stand in ${name}]` : text;
  return { name, kind: 'always', content, triggers: [], inputs: [] };
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

/** Of what is there twice, by name or by text (a copy, a link), the stronger is kept, which comes later. */
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

async function markdownBelow(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { recursive: true });
    return entries
      .filter((name) => /\.md$/i.test(name) && path.basename(name).toLowerCase() !== 'readme.md')
      .sort()
      .map((name) => path.join(folder, name));
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES')) return [];
    throw error;
  }
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
  if (steps.startsWith('..') || path.isAbsolute(steps)) return [directory];
  const parts = steps === '' ? [] : steps.split(path.sep);
  return [root, ...parts.map((_, index) => path.join(root, ...parts.slice(0, index + 1)))];
}

function slashed(file: string): string {
  return file.split(path.sep).join('/');
}
