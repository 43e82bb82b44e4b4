import { sliceText } from '@palimpsest/events';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { assertCount } from '../errors.js';
import { InvalidSkillError, parseAgentSkill, parseSkill } from '../prompts/skill.js';
import type { Skill } from '../prompts/index.js';
import { ifThere, instructionFileNames, instructionFilesOf, isWithin, readGuarded } from './files.js';

/** Options of {@link findSkills}. */
export interface FindSkillsOptions {
  readonly workingDirectory: string;
  /**
   * The outermost folder that is searched. @defaultValue the nearest folder upwards that holds `.git` and belongs to the
   * same user, else the working directory
   */
  readonly rootDirectory?: string;
  /** Folders of the user; weaker than the repository. Nothing is created in them. @defaultValue none */
  readonly userDirectories?: readonly string[];
  /** Further folders with skills, of the user; weaker than `userDirectories`. @defaultValue none */
  readonly skillFolders?: readonly string[];
  /** Further instruction files, of the user; weaker than `userDirectories`. @defaultValue none */
  readonly instructionFiles?: readonly string[];
  /**
   * The maximum length of an instruction file and of a skill's text. A longer one is cut, and says so. What is always shown has
   * together at most 64,000 characters; the weakest are cut first. Unit: characters. @defaultValue 32000
   */
  readonly maxCharacters?: number;
}

/** The skills that were found, the weakest first, and what is wrong with files. */
export interface FoundSkills {
  readonly skills: readonly Skill[];
  /** One for each file that was skipped or cut, or whose name is not as it should be. The message says which. */
  readonly problems: readonly InvalidSkillError[];
}

/** A folder of skills. Some hold only `SKILL.md` folders, because their other documents are not for every agent. */
interface SkillPlace {
  readonly name: string;
  readonly manifestsOnly?: boolean;
}

/** The folders of skills, the weakest first. */
const projectFolders: readonly SkillPlace[] = [
  { name: '.openhands/microagents' },
  { name: '.claude/skills', manifestsOnly: true },
  { name: '.agents/skills', manifestsOnly: true },
  { name: '.palimpsest/skills' },
];
const userFolders: readonly SkillPlace[] = [{ name: 'microagents' }, { name: 'skills' }];

/**
 * Finds the skills and instruction files for a working directory. Each folder from the root down to the working directory
 * contributes its {@link instructionFileNames}, always on, the folders with a `SKILL.md` below `.claude/skills`, `.agents/skills`
 * and `.palimpsest/skills`, which the model loads when it needs them, and the other markdown files below `.palimpsest/skills` and
 * `.openhands/microagents`, without `README.md`. Files nearer to the working directory are stronger. Of two skills with one name
 * the stronger is kept, and a file that is linked or copied under several names is included once. A broken file is a problem, and
 * the others are still found. An instruction file is named by its path from the root, a user's file by its whole path.
 *
 * @throws RangeError when `maxCharacters` is not a whole number of at least 1, or the working directory is not in the root.
 * @throws what the file system throws when one of the folders is missing.
 */
export async function findSkills(options: FindSkillsOptions): Promise<FoundSkills> {
  const { maxCharacters = 32_000 } = options;
  assertCount('maxCharacters', maxCharacters, 1);
  // The real path, so that the repository around it is found, whatever links lead to it.
  const workingDirectory = await realpath(options.workingDirectory);
  const root = await (options.rootDirectory === undefined ? rootOf(workingDirectory) : realpath(options.rootDirectory));
  const ofUser = (directory: string, inside: readonly SkillPlace[], hasInstructions = true) => {
    const folder = path.resolve(directory);
    // Links of the user may lead anywhere. The files have whole paths, so that the model can find them.
    return { folder, within: path.parse(folder).root, nameOf: (file: string) => file, inside, hasInstructions };
  };
  const places = [
    ...(options.skillFolders ?? []).map((directory) => ofUser(directory, [{ name: '.' }], false)),
    ...(options.userDirectories ?? []).map((directory) => ofUser(directory, userFolders)),
    ...foldersBetween(root, workingDirectory).map((folder) => ({
      folder,
      within: root,
      nameOf: (file: string) => path.relative(root, file),
      inside: projectFolders,
      hasInstructions: true,
    })),
  ];
  const problems: InvalidSkillError[] = [];
  const found: FoundSkill[] = [];
  const attempt = async <T>(action: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await action();
    } catch (error) {
      if (!InvalidSkillError.isInstance(error)) throw error;
      problems.push(error);
      return undefined;
    }
  };
  const add = async (file: string, read: () => Promise<Skill | undefined>): Promise<void> => {
    const skill = await attempt(read);
    if (skill !== undefined) found.push({ file, skill });
  };
  for (const given of options.instructionFiles ?? []) {
    const file = path.resolve(given);
    const within = path.parse(file).root;
    await add(file, () => instruction(file, { within, name: slashed(file), maxCharacters, isNeeded: true }));
  }
  for (const { folder, within, nameOf, inside, hasInstructions } of places) {
    for (const file of hasInstructions ? await instructionFilesOf(folder) : []) {
      await add(file, () => instruction(file, { within, name: slashed(nameOf(file)), maxCharacters }));
    }
    for (const { name, manifestsOnly = false } of inside) {
      const skills = path.join(folder, name);
      const files = await attempt(() => skillFilesBelow(skills, within));
      for (const file of [...(files?.outside ?? []), ...(manifestsOnly ? [] : (files?.documents ?? []))]) {
        await add(file, () => skillOf(file, { within, folder: skills }));
      }
      for (const file of files?.manifests ?? []) {
        await add(file, () => agentSkill(file, { within, workingDirectory, maxCharacters, problems }));
      }
    }
  }
  return { skills: withinLength(eachOnce(found, problems), problems), problems };
}

interface FoundSkill {
  readonly file: string;
  readonly skill: Skill;
}

async function instruction(
  file: string,
  options: {
    readonly within: string;
    readonly name: string;
    readonly maxCharacters: number;
    readonly isNeeded?: boolean;
  },
): Promise<Skill | undefined> {
  const read = await readGuarded(file, options.within);
  if (read === undefined && options.isNeeded === true) throw new InvalidSkillError(file, 'does not exist.');
  const text = read?.trim() ?? '';
  if (text === '' || isPointer(text)) return undefined;
  const { maxCharacters, name } = options;
  return { name, kind: 'always', content: cutText(text, maxCharacters, name), triggers: [], inputs: [] };
}

function cutText(text: string, maxCharacters: number, name: string): string {
  const shown = sliceText(text, 0, maxCharacters);
  const rest = text.length - shown.length;
  return rest > 0 ? `${shown}\n[${rest} more characters stand in ${name}]` : text;
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

/** Reads a `SKILL.md`. Its text is cut, and says where further files of the skill stand. */
async function agentSkill(
  file: string,
  options: {
    readonly within: string;
    readonly workingDirectory: string;
    readonly maxCharacters: number;
    readonly problems: InvalidSkillError[];
  },
): Promise<Skill | undefined> {
  const read = await readGuarded(file, options.within);
  if (read === undefined) return undefined;
  const folder = path.dirname(file);
  const skill = await parseAgentSkill(read, { file, folder: await realpath(folder) });
  if (skill.name !== path.basename(folder)) {
    const [is, should] = [skill.name, path.basename(folder)];
    options.problems.push(
      new InvalidSkillError(file, `is named '${is}' and stands in the folder '${should}'. It is used as '${is}'.`),
    );
  }
  const relative = slashed(path.relative(options.workingDirectory, folder));
  const shown = relative.startsWith('../') || path.isAbsolute(relative) ? slashed(folder) : relative;
  const others = (await readdir(folder)).length - 1;
  const note =
    others === 0 ? '' : `\n\n[The other files of this skill stand in '${shown}'; load_skill with 'file' reads them.]`;
  const content = cutText(skill.content, options.maxCharacters, `${shown}/${path.basename(file)}`) + note;
  return { ...skill, content };
}

/**
 * Removes duplicates by name or by text (a copy, a link). The stronger one, which comes later, is kept. A `SKILL.md` that loses its
 * name to another text is a problem, once for all its copies.
 */
function eachOnce(found: readonly FoundSkill[], problems: InvalidSkillError[]): readonly FoundSkill[] {
  const byName = new Map<string, FoundSkill>();
  const texts = new Set<string>();
  const told: Skill[] = [];
  const kept: FoundSkill[] = [];
  for (const each of found.toReversed()) {
    const { skill, file } = each;
    const stronger = byName.get(skill.name);
    const text = skill.folder === undefined ? `${skill.kind} ${skill.triggers.join()} ${skill.content}` : '';
    const known = [...told, ...(stronger === undefined ? [] : [stronger.skill])];
    if (stronger !== undefined && skill.folder !== undefined && !known.some((other) => isCopy(skill, other))) {
      told.push(skill);
      problems.push(new InvalidSkillError(file, `has the name of a nearer one and is not used: '${stronger.file}'.`));
    }
    if (stronger !== undefined || (text !== '' && texts.has(text))) continue;
    byName.set(skill.name, each);
    texts.add(text);
    kept.push(each);
  }
  return kept.reverse();
}

/** Reports whether two skills are one folder, by a link, or copies. The texts differ in the folder that they name. */
function isCopy(one: Skill, other: Skill): boolean {
  const text = ({ content }: Skill) => content.replace(/\n\n\[The other files of this skill stand in [^\n]*\]$/, '');
  return one.folder === other.folder || (one.description === other.description && text(one) === text(other));
}

/** The length of what is always shown. Unit: characters. */
const maxAlwaysCharacters = 64_000;

/** Limits what is always shown to a length together: the strongest are kept whole. */
function withinLength(found: readonly FoundSkill[], problems: InvalidSkillError[]): readonly Skill[] {
  let left = maxAlwaysCharacters;
  const kept: Skill[] = [];
  for (const { skill, file } of found.toReversed()) {
    const { content, name } = skill;
    if (skill.kind !== 'always' || content.length <= left) {
      kept.push(skill);
      if (skill.kind === 'always') left -= content.length;
      continue;
    }
    problems.push(
      new InvalidSkillError(file, `is cut: instructions have more than ${maxAlwaysCharacters} characters together.`),
    );
    kept.push({ ...skill, content: cutText(content, left, name) });
    left = 0;
  }
  return kept.reverse();
}

/**
 * Returns the nearest folder upwards with a `.git`, if both belong to the owner of the directory: in a folder that everybody may
 * write to, such as the one for temporary files, anybody can make a `.git` and instructions beside it.
 */
async function rootOf(directory: string): Promise<string> {
  const ownerOf = async (place: string) => (await ifThere(stat(place)))?.uid;
  const owner = await ownerOf(directory);
  for (let folder = directory; ; folder = path.dirname(folder)) {
    const repositoryOwner = await ownerOf(path.join(folder, '.git'));
    if (repositoryOwner !== undefined) {
      return repositoryOwner === owner && (await ownerOf(folder)) === owner ? folder : directory;
    }
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

/** The limit of entries, links included. A larger folder is not a folder of skills. */
const maxEntries = 2_000;

export interface SkillFiles {
  /** Each `SKILL.md`. What else stands in its folder belongs to the skill, and is not looked at. */
  readonly manifests: readonly string[];
  /** The other markdown files. */
  readonly documents: readonly string[];
  /** Links to folders outside, which are not followed. */
  readonly outside: readonly string[];
}

/**
 * Returns the paths of the skills below a folder, without `README.md`, in an order that does not depend on the disk. Each folder is
 * read once, whatever links lead to it. Empty if there is no such folder, or it may not be read.
 *
 * @throws {@link InvalidSkillError} when there are more than 2,000 entries below the folder.
 */
async function skillFilesBelow(folder: string, within: string): Promise<SkillFiles> {
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
