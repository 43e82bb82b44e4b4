import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { exitStatus, UsageError } from './context.js';
import type { CliContext, RunFlags } from './context.js';
import type { headlessRun as HeadlessRun } from './headless/headless-run.js';
import type { interactiveCommand as InteractiveCommand } from './interactive/interactive-command.js';
import { findSession } from './sessions/session-list.js';
import type { ListedSession } from './sessions/session-list.js';
import { sessionsFolder } from './settings/user-folders.js';
import { taskFrom } from './task.js';

/**
 * `palimpsest`: talks with the user, if standard input is a terminal. `palimpsest -p "…"`: works on a task in a new session, or with `--continue` in the last one of the folder. Resolves to the exit
 * status.
 *
 * @param help - prints the help, if there is nothing to do
 * @throws {@link PalimpsestError} when the run cannot begin.
 */
export async function runCommand(
  flags: RunFlags & { readonly continue?: boolean },
  surroundings: CliContext,
  help: () => void,
): Promise<number> {
  if (flags.continue === true) return resumeCommand(undefined, flags, surroundings);
  if (isInteractive(flags, surroundings)) return interact(undefined, flags, surroundings);
  const task = await taskFrom(flags, surroundings);
  if (task === 'interrupted') return surroundings.interrupts.exitStatus;
  if (task !== 'none') return runWithoutScreen({ task: task.words }, flags, surroundings);
  if (flags.print !== undefined) throw new UsageError('The task is empty.');
  help();
  surroundings.stderr.write('\npalimpsest: there is no task: give one with -p "…", or on standard input.\n');
  return exitStatus.wrongInput;
}

/** `palimpsest resume [id]`: goes on with a session, interactively if there is no task and a terminal. Resolves to the exit status. @throws as {@link runCommand} does. */
export async function resumeCommand(
  id: string | undefined,
  flags: RunFlags,
  surroundings: CliContext,
): Promise<number> {
  const session = await foundSession(id, flags.cwd, surroundings);
  if (isInteractive(flags, surroundings)) return interact(session, flags, surroundings);
  // Without a task the session goes on where it ended. Standard input may be open, and nobody writes.
  if (flags.print === undefined && flags.stdin !== true) return runWithoutScreen({ session }, flags, surroundings);
  const task = await taskFrom(flags, surroundings);
  if (task === 'interrupted') return surroundings.interrupts.exitStatus;
  if (task === 'none') throw new UsageError('The task is empty.');
  return runWithoutScreen({ session, task: task.words }, flags, surroundings);
}

/** Whether somebody sits at a terminal and gave no task. Formats for programs are never interactive. */
function isInteractive({ print, stdin: isAsked, outputFormat }: RunFlags, { stdin }: CliContext): boolean {
  return print === undefined && isAsked !== true && outputFormat === 'text' && stdin.isTTY === true;
}

/** Loads the agent. A screen is there before it is. */
async function runWithoutScreen(...args: Parameters<typeof HeadlessRun>): Promise<number> {
  const { headlessRun } = await import('./headless/headless-run.js');
  return headlessRun(...args);
}

/** Loads what only a screen needs. */
async function interact(...args: Parameters<typeof InteractiveCommand>): Promise<number> {
  const { interactiveCommand } = await import('./interactive/interactive-command.js');
  return interactiveCommand(...args);
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
  { env, cwd }: Pick<CliContext, 'env' | 'cwd'>,
): Promise<ListedSession> {
  const workspace = await workspaceRoot(resolve(cwd, folder ?? '.'));
  return findSession(sessionsFolder(env), { id, workspace });
}

/** As sessions record their workspace: with links resolved. A folder that is not there has no sessions to resolve. */
async function workspaceRoot(folder: string): Promise<string> {
  return realpath(folder).catch(() => folder);
}
