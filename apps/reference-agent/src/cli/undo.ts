import { Agent, Conversation } from '@palimpsest/agent';
import { printableLine } from '@palimpsest/terminal';
import { openWorkspace } from '@palimpsest/tools';
import { noModel } from '../agent/models.js';
import type { CliContext } from '../context.js';
import { exitStatus } from '../context.js';
import { partsOf, planRewind, rewind, rewindRemarks, stepInWords } from '../session/rewind.js';
import type { ListedSession } from '../session/session.js';
import { sessionsFolder } from '../settings/user-folders.js';

/** Options of `palimpsest undo`. */
export interface UndoFlags {
  /** The last event that stays: its id, or the beginning of it. @defaultValue the one before the last message of the user */
  readonly to?: string;
  /** True: prints the changes and makes none. */
  readonly dryRun?: boolean;
  /** Files that were changed by another hand are restored, too. */
  readonly force?: boolean;
}

/**
 * Runs `palimpsest undo`: brings the files back that the agent changed since an event, and forks the session there. The
 * session itself stays as it is. Resolves to the exit status.
 *
 * @throws {@link UsageError} when there is nothing to undo, or no such event; {@link UndoConflictError} when a file was changed
 *   by another hand, and nothing is undone then; {@link ConversationBusyError} while the session runs.
 */
export async function undoCommand(
  { session, record }: ListedSession,
  flags: UndoFlags,
  { env, stdout }: Pick<CliContext, 'env' | 'stdout'>,
): Promise<number> {
  const { id, store } = session;
  // A session at work is told before anything is read, for a plan too.
  await (await store.openForWriting(id)).close();
  const agent = new Agent({ llm: noModel(record.model) });
  const conversation = await Conversation.open({ agent, conversationId: id, store });
  const parts = partsOf(conversation, flags.to);
  const rewinding = { session, conversation, workspace: await openWorkspace(record.workspace), parts };
  const print = (line: string) => stdout.write(`${printableLine(line)}\n`);
  if (flags.dryRun === true) {
    for (const step of await planRewind(rewinding)) print(stepInWords(step, true));
    for (const line of rewindRemarks(parts)) print(line);
    return exitStatus.done;
  }
  const { steps, fork } = await rewind(rewinding, { force: flags.force === true, root: sessionsFolder(env) });
  for (const step of steps) print(stepInWords(step, false));
  for (const line of rewindRemarks(parts)) print(line);
  print(`session ${fork.id} goes on from there: palimpsest resume ${fork.id} -p "…"; session ${id} stays as it is`);
  return exitStatus.done;
}
