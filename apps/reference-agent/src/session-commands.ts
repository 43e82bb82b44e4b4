import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CommandSurroundings } from './command-surroundings.js';
import { exitStatus } from './exit-status.js';
import { headlessRun } from './headless/headless-run.js';
import type { RunFlags } from './run-flags.js';
import { findSession } from './sessions/session-list.js';
import type { ListedSession } from './sessions/session-list.js';
import { sessionsFolder } from './sessions/sessions-folder.js';
import { taskFrom } from './task.js';
import { UsageError } from './usage-error.js';

/**
 * `palimpsest -p "…"`: works on a task in a new session, or with `--continue` in the last one of the folder. Resolves to the exit
 * status.
 *
 * @param help - prints the help, if there is nothing to do
 * @throws {@link PalimpsestError} when the run cannot begin.
 */
export async function runCommand(
  flags: RunFlags & { readonly continue?: boolean },
  surroundings: CommandSurroundings,
  help: () => void,
): Promise<number> {
  if (flags.continue === true) return resumeCommand(undefined, flags, surroundings);
  const task = await taskFrom(flags.print, surroundings);
  if (task === 'interrupted') return surroundings.interrupts.exitStatus;
  if (task !== 'none') return headlessRun({ task: task.words }, flags, surroundings);
  if (flags.print !== undefined) throw new UsageError('The task is empty.');
  help();
  surroundings.stderr.write('\npalimpsest: there is no task: give one with -p "…", or on standard input.\n');
  return exitStatus.wrongInput;
}

/** `palimpsest resume [id]`: goes on with a session. Resolves to the exit status. @throws as {@link runCommand} does. */
export async function resumeCommand(
  id: string | undefined,
  flags: RunFlags,
  surroundings: CommandSurroundings,
): Promise<number> {
  const session = await foundSession(id, flags.cwd, surroundings);
  // Standard input is read only where it is asked for: it may be open, and nobody writes.
  if (flags.print === undefined) return headlessRun({ session }, flags, surroundings);
  const task = await taskFrom(flags.print, surroundings);
  if (task === 'interrupted') return surroundings.interrupts.exitStatus;
  if (task === 'none') throw new UsageError('The task is empty.');
  return headlessRun({ session, task: task.words }, flags, surroundings);
}

/**
 * The session whose id begins so; without an id the last used one of the folder.
 *
 * @param folder - relative to where the command was called. @defaultValue that folder
 * @throws {@link SessionError} when there is none.
 */
export async function foundSession(
  id: string | undefined,
  folder: string | undefined,
  { env, cwd }: Pick<CommandSurroundings, 'env' | 'cwd'>,
): Promise<ListedSession> {
  const workspace = await workspaceRoot(resolve(cwd, folder ?? '.'));
  return findSession(sessionsFolder(env), { id, workspace });
}

/** As sessions record their workspace: with links resolved. A folder that is not there has no sessions to resolve. */
async function workspaceRoot(folder: string): Promise<string> {
  return realpath(folder).catch(() => folder);
}
