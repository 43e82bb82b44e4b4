import { cp } from 'node:fs/promises';
import { Agent, Conversation } from '@palimpsest/agent';
import { isUserMessage } from '@palimpsest/events';
import type { Event, EventLog } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import { onOneLine } from '@palimpsest/terminal';
import { fileHistory, openWorkspace, planUndo, undoEdits } from '@palimpsest/tools';
import type { UndoStep } from '@palimpsest/tools';
import type { CommandSurroundings } from '../command-surroundings.js';
import { exitStatus } from '../exit-status.js';
import { UsageError } from '../usage-error.js';
import { writeRecord } from './record-file.js';
import type { ListedSession } from './session-list.js';
import { createSession } from './session.js';
import type { Session } from './session.js';
import { sessionsFolder } from './sessions-folder.js';

/** Options of `palimpsest undo`. */
export interface UndoFlags {
  /** The last event that stays: its id, or the beginning of it. @defaultValue the one before the last message of the user */
  readonly to?: string;
  /** Says what would be done. */
  readonly dryRun?: boolean;
  /** Files that were changed by another hand are restored, too. */
  readonly force?: boolean;
}

/**
 * `palimpsest undo`: brings the files back that the agent changed since an event, and forks the session there. The session
 * itself stays as it is. Resolves to the exit status.
 *
 * @throws {@link UsageError} when there is nothing to undo, or no such event; {@link UndoConflictError} when a file was changed
 *   by another hand, and nothing is undone then; {@link ConversationBusyError} while the session runs.
 */
export async function undoCommand(
  { session, record }: ListedSession,
  flags: UndoFlags,
  { env, stdout }: Pick<CommandSurroundings, 'env' | 'stdout'>,
): Promise<number> {
  // Nobody changes files for this session meanwhile.
  const writer = await session.store.openForWriting(session.id);
  try {
    const { conversationId, store } = { conversationId: session.id, store: session.store };
    const conversation = await Conversation.open({
      agent: new Agent({ llm: noModel(record.model) }),
      conversationId,
      store,
    });
    const { kept, undone } = parted(conversation.events, flags.to);
    const [first] = undone;
    if (first === undefined) throw new UsageError(`Session '${session.id}' has nothing to undo.`);
    const options = {
      workspace: await openWorkspace(record.workspace),
      history: fileHistory({ directory: session.files }),
      events: conversation.events,
      before: first.id,
    };
    const print = (line: string) => stdout.write(`${onOneLine(line)}\n`);
    const steps =
      flags.dryRun === true ? await planUndo(options) : await undoEdits({ ...options, force: flags.force === true });
    for (const step of steps) print(stepInWords(step, flags.dryRun === true));
    for (const line of remarks(undone)) print(line);
    if (flags.dryRun === true) return exitStatus.done;
    const fork = await forked(session, conversation, kept, sessionsFolder(env));
    print(
      `session ${fork.id} goes on from there: palimpsest resume ${fork.id} -p "…"; session ${session.id} stays as it is`,
    );
    return exitStatus.done;
  } finally {
    await writer.close();
  }
}

/** The events that stay, and those that are undone. */
function parted(
  log: EventLog,
  to: string | undefined,
): { readonly kept: readonly Event[]; readonly undone: readonly Event[] } {
  const events = log.slice();
  const end = to === undefined ? events.findLastIndex(isUserMessage) : 1 + indexOf(events, to);
  if (end < 0)
    throw new UsageError(`Session '${log.conversationId}' has nothing to undo: it holds no words of the user.`);
  return { kept: events.slice(0, end), undone: events.slice(end) };
}

function indexOf(events: readonly Event[], wanted: string): number {
  const found = events.flatMap(({ id }, index) => (id === wanted || id.startsWith(wanted) ? [index] : []));
  const exact = events.findIndex(({ id }) => id === wanted);
  const [only] = exact === -1 ? found : [exact];
  if (only !== undefined && (exact !== -1 || found.length === 1)) return only;
  throw new UsageError(
    `${only === undefined ? 'No event begins' : `${found.length} events begin`} with '${wanted}'. 'palimpsest export --format jsonl' shows all.`,
  );
}

/** A new session with the events that stay, and all that they refer to. */
async function forked(
  session: Session,
  conversation: Conversation,
  kept: readonly Event[],
  root: string,
): Promise<Session> {
  const fork = await createSession(root);
  for (const part of ['outputs', 'files'] as const) {
    await cp(session[part], fork[part], { recursive: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
  const { store, id: conversationId } = fork;
  const { events } = await conversation.fork({ at: kept.at(-1)?.id, store, conversationId });
  await writeRecord(fork, events);
  return fork;
}

function stepInWords({ path, action, conflict }: UndoStep, isPlan: boolean): string {
  const verbs = { restore: 'restored', delete: 'deleted', none: 'as it was already' };
  const done = `${isPlan && action !== 'none' ? 'would be ' : ''}${verbs[action]}: ${path}`;
  return conflict === undefined ? done : `${done} (${conflict})`;
}

/** What an undo does not bring back. */
function remarks(undone: readonly Event[]): readonly string[] {
  const commands = undone.filter((event) => event.type === 'action' && event.toolCall.name === 'run_command').length;
  return commands === 0
    ? []
    : [`not undone: what ${commands === 1 ? 'a command' : `${commands} commands`} did, which nobody keeps a record of`];
}

/** An undo asks no model. */
function noModel(model: string): LLM {
  return { model, complete: () => Promise.reject(new Error('An undo asks no model.')) };
}
