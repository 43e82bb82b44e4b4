import { execFile } from 'node:child_process';
import { lstat, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { hasCode, isWithin } from './files.js';

/** Facts that git reports of a folder. A fact that it does not report in time is missing. */
export interface GitFacts {
  /** The root of the working tree. */
  readonly root: string;
  readonly branch?: string;
  /** A line for each file that differs from the last commit. The last line counts those that are not named. */
  readonly changes?: readonly string[];
  /** The newest commits: short hash and subject. */
  readonly commits?: readonly string[];
}

const maxChanges = 20;
const maxCommits = 5;
/** The part of an answer that is read; the rest is not waited for. Unit: bytes. */
const maxBytes = 262_144;

/**
 * Never runs a program that the repository configures: no hooks, monitors, filters, helpers for remotes or signatures.
 * Environment: nothing of git's, so that it looks at this folder and not where a variable points.
 */
const safely = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.sshCommand', 'false'],
  ['core.pager', 'cat'],
  ['log.showSignature', 'false'],
  ['status.submoduleSummary', 'false'],
  ['submodule.recurse', 'false'],
  ['protocol.allow', 'never'],
  // A folder that only looks like the inside of a repository is none.
  ['safe.bareRepository', 'explicit'],
].flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/**
 * Reads the facts of a folder from git. Undefined if it is in no working tree, there is no git, or its `.git` leads to
 * another repository.
 *
 * @param options.env - where git is found; its variables of git's own are not passed on
 * @param options.timeoutMs - for each question. Unit: milliseconds.
 */
export async function gitFacts(
  folder: string,
  options: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly timeoutMs: number;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<GitFacts | undefined> {
  // Most folders of nobody's repository are known without a process.
  if (!(await hasRepositoryAbove(folder))) return undefined;
  const env = safeEnvironment(options.env, folder);
  const ask = (args: readonly string[]) => git(folder, args, { ...options, env });
  const places = await ask(['rev-parse', '--show-toplevel', '--absolute-git-dir', '--git-common-dir']);
  const [root, gitFolder, commonFolder] = places?.isWhole === true ? places.text.split('\n') : [];
  if (root === undefined || gitFolder === undefined || commonFolder === undefined || root === '') return undefined;
  if (!(await isOwnRepository(folder, root, gitFolder, path.resolve(folder, commonFolder)))) return undefined;

  const filters = await configuredFilters(ask);
  if (filters === undefined) return { root };
  // The history of a folder of a repository is that folder's; of the whole, it is asked for nothing that has to be looked for.
  const here = (await realpath(folder)) === (await realpath(root)) ? [] : ['--', '.'];
  const [status, log] = await Promise.all([
    ask([
      ...filters,
      ...[
        'status',
        '--porcelain=v1',
        '--branch',
        '--no-ahead-behind',
        '-z',
        '--untracked-files=normal',
        '--ignore-submodules=all',
        '--no-renames',
        '--',
        '.',
      ],
    ]),
    ask(['log', '-z', `--max-count=${maxCommits}`, '--no-show-signature', '--no-color', '--format=%h %s', ...here]),
  ]);
  return {
    root,
    // Where the changes are not told in time, the branch still is.
    ...(status === undefined ? branchIn(await ask(['symbolic-ref', '--quiet', '--short', 'HEAD'])) : statusOf(status)),
    ...(log?.isWhole === true ? { commits: log.text.split('\0').filter((line) => line !== '') } : {}),
  };
}

/** Reports whether there is a `.git` for git to find: in the folder, or in one above it. */
async function hasRepositoryAbove(folder: string): Promise<boolean> {
  for (let at = await realpath(folder); ; at = path.dirname(at)) {
    const isMissing = await lstat(path.join(at, '.git')).then(
      () => false,
      // What cannot be looked at, git is asked about.
      (error: unknown) => hasCode(error, 'ENOENT', 'ENOTDIR'),
    );
    if (!isMissing) return true;
    if (path.dirname(at) === at) return false;
  }
}

/** Runs git. Returns its output; undefined if git fails, is not there, or does not answer in time. */
function git(
  folder: string,
  args: readonly string[],
  options: {
    readonly env: NodeJS.ProcessEnv;
    readonly timeoutMs: number;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<{ readonly text: string; readonly isWhole: boolean } | undefined> {
  const { env, timeoutMs, signal } = options;
  return new Promise((resolve) => {
    execFile(
      'git',
      ['--no-pager', '--no-optional-locks', '--literal-pathspecs', '-C', folder, ...safely, ...args],
      // Not in the folder: where a program is looked for must not depend on it.
      { cwd: path.parse(folder).root, env, timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: maxBytes, signal },
      (error, text) => {
        const isCut = error !== null && 'code' in error && error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';
        resolve(error !== null && !isCut ? undefined : { text, isWhole: !isCut });
      },
    ).on('error', () => resolve(undefined));
  });
}

/** Without git's variables, and with a path on which no program of the folder is found (npx puts some there). */
function safeEnvironment(env: Readonly<Record<string, string | undefined>>, folder: string): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !/^GIT_/i.test(name));
  const cleaned = kept.map(([name, value]) => {
    if (name.toUpperCase() !== 'PATH') return [name, value];
    const places = (value ?? '').split(path.delimiter);
    return [name, places.filter((place) => path.isAbsolute(place) && !isInside(place, folder)).join(path.delimiter)];
  });
  return {
    ...(Object.fromEntries(cleaned) as NodeJS.ProcessEnv),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
  };
}

function isInside(place: string, folder: string): boolean {
  return isWithin(path.resolve(place), folder);
}

/**
 * Reports whether a `.git` belongs to its folder. A file `.git` can name any repository of the user, and a configuration any
 * folder: then the model would read of work that is none of its business. Of a linked worktree and a submodule the other side names
 * the folder, too.
 */
async function isOwnRepository(
  folder: string,
  root: string,
  gitFolder: string,
  commonFolder: string,
): Promise<boolean> {
  try {
    const [here, top, own, common] = await Promise.all(
      [folder, root, gitFolder, commonFolder].map((each) => realpath(each)) as [
        Promise<string>,
        Promise<string>,
        Promise<string>,
        Promise<string>,
      ],
    );
    if (!isWithin(here, top)) return false;
    if (isWithin(own, top)) return isWithin(common, top);
    if (!isWithin(own, common)) return false;
    const back = await readFile(path.join(own, 'gitdir'), 'utf8').catch(() => undefined);
    if (back !== undefined)
      return (await realpath(path.resolve(own, back.trim()))) === (await realpath(path.join(top, '.git')));
    // git itself has taken the root from the submodule's configuration, if it names one.
    return /^\s*worktree\s*=/m.test(await readFile(path.join(own, 'config'), 'utf8'));
  } catch {
    return false;
  }
}

/** Settings that leave out the filters of the repository; those of the user and the system stay. Undefined if it is not known which. */
async function configuredFilters(
  ask: (args: readonly string[]) => ReturnType<typeof git>,
): Promise<readonly string[] | undefined> {
  const config = await ask(['config', '--list', '--show-scope', '--name-only', '-z']);
  if (config?.isWhole !== true) return undefined;
  const fields = config.text.split('\0');
  const filters = new Set<string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = /^filter\.(.+)\.[^.]+$/s.exec(fields[at + 1] ?? '')?.[1];
    if (name !== undefined && (fields[at] === 'local' || fields[at] === 'worktree')) filters.add(name);
  }
  // A name that no option can hold: git would read another setting.
  if ([...filters].some((name) => /[=\n]/.test(name))) return undefined;
  return [...filters].flatMap((name) =>
    ['clean=', 'smudge=', 'process=', 'required=false'].flatMap((setting) => ['-c', `filter.${name}.${setting}`]),
  );
}

function branchIn(answer: Awaited<ReturnType<typeof git>>): Pick<GitFacts, 'branch'> {
  return answer?.isWhole === true ? { branch: answer.text.trim() } : {};
}

/** The branch stands in the first entry; where the head is on none, in words that no branch can be called. */
function statusOf({
  text,
  isWhole,
}: {
  readonly text: string;
  readonly isWhole: boolean;
}): Pick<GitFacts, 'branch' | 'changes'> {
  const [head = '', ...entries] = text.split('\0').slice(0, -1);
  const branch = /^## (?:No commits yet on )?(\S+?)(?:\.\.\.\S+(?: \[.*\])?)?$/.exec(head)?.[1];
  const named = entries.slice(0, maxChanges);
  const more = entries.length - named.length;
  return {
    ...(branch === undefined ? {} : { branch }),
    changes: more === 0 ? named : [...named, `(${isWhole ? more : `at least ${more}`} more)`],
  };
}
