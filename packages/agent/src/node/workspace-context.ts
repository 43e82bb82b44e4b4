import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { assertPositive } from '../option-checks.js';
import type { WorkspaceContext } from '../prompts/index.js';
import { fileTree } from './file-tree.js';
import { gitFacts } from './git-facts.js';

/** Options of {@link workspaceContext}. */
export interface WorkspaceContextOptions {
  /** The present time. @defaultValue the system clock */
  readonly now?: () => Date;
  /** How long git may take for each question. Unit: milliseconds. @defaultValue 2000 */
  readonly gitTimeoutMs?: number;
  /** Where git is found. @defaultValue the process's environment */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/**
 * The facts about a folder that a coding agent should know at the start: the platform, the day (UTC), the top of the file tree, where
 * folders below have instructions of their own, and from git the branch, what is changed, and the newest commits. All of it is
 * limited in length and time. Of a repository no program runs, whatever its configuration says, and a `.git` that leads to another
 * repository is not followed. Without git the rest is returned.
 *
 * Ask once for a session: what changes later, the model sees by its tools, and a context that changes is paid for again.
 *
 * @throws RangeError when `gitTimeoutMs` is not more than 0; what the file system throws when there is no such folder.
 */
export async function workspaceContext(
  folder: string,
  options: WorkspaceContextOptions = {},
): Promise<WorkspaceContext> {
  const { now = () => new Date(), gitTimeoutMs = 2_000, env = process.env, signal } = options;
  assertPositive('gitTimeoutMs', gitTimeoutMs);
  const workingDirectory = await realpath(folder);
  const tree = fileTree(workingDirectory);
  const git = await gitFacts(workingDirectory, { env, timeoutMs: gitTimeoutMs, signal });
  const root = git?.root ?? workingDirectory;
  return {
    repository: {
      name: path.basename(root),
      ...(root === workingDirectory ? {} : { directory: root }),
      ...(git?.branch === undefined ? {} : { branch: git.branch }),
      ...(git?.changes === undefined ? {} : { changes: git.changes }),
      ...(git?.commits === undefined ? {} : { commits: git.commits }),
      files: tree.lines,
      nestedInstructions: tree.nestedInstructions,
    },
    runtime: {
      workingDirectory,
      date: now().toISOString().slice(0, 10),
      platform: `${process.platform} ${process.arch}`,
    },
  };
}
