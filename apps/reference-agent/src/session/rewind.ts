import { cp } from 'node:fs/promises';
import type { Conversation } from '@palimpsest/agent';
import { isUserMessage } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { fileHistory, planUndo, undoConflictTexts, undoEdits } from '@palimpsest/tools';
import type { UndoStep, Workspace } from '@palimpsest/tools';
import { UsageError } from '../context.js';
import { createSession } from './session.js';
import type { Session } from './session.js';

/** A session, and the place to which it is taken back. */
export interface Rewinding {
  readonly session: Session;
  readonly conversation: Conversation;
  readonly workspace: Workspace;
  readonly parts: LogParts;
}

/** The events that stay, and those that are undone. */
export interface LogParts {
  readonly kept: readonly Event[];
  readonly undone: readonly Event[];
}

/**
 * Divides a log after an event that is given by its id or the beginning of its id. Without one, divides it before the
 * last message of the user.
 *
 * @throws {@link UsageError} when there is no such event, or more than one, or the user has said nothing.
 */
export function partsOf({ events: log, id }: Conversation, to: string | undefined): LogParts {
  const events = log.slice();
  const end = to === undefined ? events.findLastIndex(isUserMessage) : 1 + indexOf(events, to);
  if (end < 0) throw new UsageError(`Session '${id}' has nothing to undo: it holds no words of the user.`);
  return { kept: events.slice(0, end), undone: events.slice(end) };
}

/** Divides a log before a message of the user. @throws {@link UsageError} when there is no such event. */
export function partsBefore({ events: log }: Conversation, messageId: string): LogParts {
  const events = log.slice();
  const end = indexOf(events, messageId);
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

/**
 * Returns the changes of files that a rewind would make. Nothing is changed.
 *
 * @throws {@link UsageError} when nothing would be undone.
 */
export async function planRewind(rewinding: Rewinding): Promise<readonly UndoStep[]> {
  return planUndo(undoOf(rewinding));
}

/** The outcome of a rewind. */
export interface Rewound {
  readonly steps: readonly UndoStep[];
  /** The session that ends there. The one that was rewound stays as it is. */
  readonly fork: Session;
}

/**
 * Brings the files back that the agent has changed since, and forks the session there. Nobody else changes files for the session
 * meanwhile.
 *
 * @param options - `force`: files that were changed by another hand are restored, too. `root`: the folder of all sessions
 * @throws {@link UndoConflictError} when a file was changed by another hand, and nothing is undone then; {@link UsageError} when
 *   nothing would be undone; {@link ConversationBusyError} while the session runs.
 */
export async function rewind(
  rewinding: Rewinding,
  { force, root }: { readonly force: boolean; readonly root: string },
): Promise<Rewound> {
  const { session } = rewinding;
  const writer = await session.store.openForWriting(session.id);
  try {
    // What was appended before nobody else could.
    await rewinding.conversation.events.catchUp();
    const steps = await undoEdits({ ...undoOf(rewinding), force });
    return { steps, fork: await forked(rewinding, root) };
  } finally {
    await writer.close();
  }
}

function undoOf({ session, conversation, workspace, parts }: Rewinding) {
  const [first] = parts.undone;
  if (first === undefined) throw new UsageError(`Session '${session.id}' has nothing to undo.`);
  return {
    workspace,
    history: fileHistory({ directory: session.files }),
    events: conversation.events,
    before: first.id,
  };
}

/** A new session with the events that stay, and all that they refer to. */
async function forked({ session, conversation, parts: { kept } }: Rewinding, root: string): Promise<Session> {
  const fork = await createSession(root);
  for (const part of ['outputs', 'files'] as const) {
    await cp(session[part], fork[part], { recursive: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
  const { store, id: conversationId } = fork;
  await conversation.fork({ at: kept.at(-1)?.id, store, conversationId });
  return fork;
}

/** Returns a step in words. */
export function stepInWords({ path, action, conflict }: UndoStep, isPlan: boolean): string {
  const verbs = { restore: 'restored', delete: 'deleted', none: 'as it was already' };
  const done = `${isPlan && action !== 'none' ? 'would be ' : ''}${verbs[action]}: ${path}`;
  return conflict === undefined ? done : `${done} (${undoConflictTexts[conflict]})`;
}

/** Returns the numbers of calls whose effects nobody keeps a record of: of commands, and of MCP servers. */
export function unrecordedCalls(events: readonly Event[]): { readonly commands: number; readonly ofServers: number } {
  const names = events.flatMap((event) => (event.type === 'action' ? [event.toolCall.name] : []));
  return {
    commands: names.filter((name) => name === 'run_command').length,
    ofServers: names.filter((name) => name.startsWith('mcp__')).length,
  };
}

/** Returns remarks on what a rewind does not bring back. */
export function rewindRemarks({ undone }: LogParts): readonly string[] {
  const { commands, ofServers } = unrecordedCalls(undone);
  const who = [
    ...(commands === 0 ? [] : [commands === 1 ? 'a command' : `${commands} commands`]),
    ...(ofServers === 0 ? [] : [ofServers === 1 ? 'a call of an MCP server' : `${ofServers} calls of MCP servers`]),
  ];
  return who.length === 0 ? [] : [`not undone: what ${who.join(' and ')} did, which nobody keeps a record of`];
}
