import { randomInt } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import {
  ConversationBusyError,
  createEvent,
  DuplicateEventError,
  EventLog,
  EventStoreError,
  isUserMessage,
  PalimpsestError,
  parseEvent,
  sliceText,
} from '@palimpsest/events';
import type { Event, Immutable } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';
import type { FileEventStore } from '@palimpsest/events/file';
import { z } from 'zod';
import type { SessionFolders } from '../agent/coding-agent.js';
import type { CliContext } from '../context.js';
import { sessionsFolder } from '../settings/user-folders.js';

/** The place of one session: a folder with its log, whole outputs, and the files before the agent changed them. */
export interface Session extends SessionFolders {
  /** Also the id of the conversation. */
  readonly id: string;
  /** The events, as JSON Lines. */
  readonly log: string;
  readonly store: FileEventStore;
}

/** Returns the place of the session with this id, whether it exists or not. */
function sessionAt(root: string, id: string): Session {
  const folder = join(root, id);
  return {
    id,
    folder,
    log: join(folder, `${id}.jsonl`),
    outputs: join(folder, 'outputs'),
    files: join(folder, 'files'),
    store: fileEventStore({ directory: folder }),
  };
}

/**
 * Makes the folder of a new session, which only the user can open.
 *
 * @throws {@link SessionError} when it cannot be made.
 */
export async function createSession(root: string, newId: () => string = newSessionId): Promise<Session> {
  try {
    await makeFolders(root);
    for (;;) {
      const session = sessionAt(root, newId());
      try {
        await mkdir(session.folder, { mode: 0o700 });
        return session;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
    }
  } catch (cause) {
    const { message } = cause as Error;
    throw new SessionError(`Cannot make a session in '${root}': ${message}. XDG_STATE_HOME names another place.`, {
      folder: root,
      cause,
    });
  }
}

/** Makes a folder that only the user can open, and those above it. Node's recursive `mkdir` does not end below `/proc`. */
export async function makeFolders(folder: string): Promise<void> {
  const made = await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => error);
  if (made === undefined || made.code === 'EEXIST') return;
  const parent = dirname(folder);
  if (made.code !== 'ENOENT' || (await stat(parent).catch(() => undefined)) !== undefined) throw made;
  await makeFolders(parent);
  await mkdir(folder, { mode: 0o700 });
}

/** Without letters that look like digits, and short enough to be typed. Eight of them are 38 bits. */
const letters = '23456789abcdefghjkmnpqrstvwxyz';

function newSessionId(): string {
  return Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('');
}

const settingsKey = 'session';
const settingsSchema = z.object({
  /** Absolute, with its links resolved. */
  workspace: z.string().min(1),
  /** The model of the latest run, as it was named. */
  model: z.string(),
  /** The address of its server, if it was given. */
  baseUrl: z.string().optional(),
  /** The fate of calls that need a yes, if it was given: a session that waits goes on waiting when it is resumed. */
  onAsk: z.enum(['deny', 'wait']).optional(),
});
const forkSchema = z.object({ conversationId: z.string().min(1) });

/** The folder in which a session works, and its model. The log records them. */
export type SessionSettings = Immutable<z.infer<typeof settingsSchema>>;

/** Returns the event that records the settings of a session. */
export function sessionSettingsEvent(settings: SessionSettings): Event {
  return createEvent('conversation-state-update', { key: settingsKey, value: { ...settings } });
}

/** The facts of a session, from its log. */
export interface SessionRecord extends SessionSettings {
  readonly id: string;
  /** ISO 8601. */
  readonly created: string;
  /** The first words of the user, on one line. Empty if there are none yet. */
  readonly task: string;
  /** The session from which this one was forked. */
  readonly parent?: string | undefined;
}

/** A session that can be gone on with. */
export interface ListedSession {
  readonly session: Session;
  readonly record: SessionRecord;
  /** The latest status of the conversation in the log. Undefined if the log has none, as that of a fork. */
  readonly lastStatus: string | undefined;
  /** The time of the last write to the log. Unit: milliseconds of the epoch. */
  readonly usedAt: number;
}

/** The content of the folder of all sessions. */
export interface SessionList {
  /** The last used one first. */
  readonly sessions: readonly ListedSession[];
  /** Folders that are no session, or none that this version can read. */
  readonly problems: readonly SessionError[];
}

/** Lists the sessions: of one workspace, or of all. A folder that cannot be read is reported and skipped. */
export async function listSessions(root: string, options: { readonly workspace?: string } = {}): Promise<SessionList> {
  const sessions: ListedSession[] = [];
  const problems: SessionError[] = [];
  for await (const found of sessionsIn(root)) {
    if (SessionError.isInstance(found)) problems.push(found);
    else if (options.workspace === undefined || found.record.workspace === options.workspace) sessions.push(found);
  }
  return { sessions, problems };
}

/**
 * Finds the session whose id begins so. Without an id it finds the last used one of the workspace.
 *
 * @throws {@link SessionError} when there is none, more than one, or it cannot be read.
 */
export async function findSession(
  root: string,
  wanted: { readonly id?: string | undefined; readonly workspace: string },
): Promise<ListedSession> {
  const { id, workspace } = wanted;
  if (id === undefined) {
    for await (const found of sessionsIn(root))
      if (!SessionError.isInstance(found) && found.record.workspace === workspace) return found;
    const reason = `There is no session of '${workspace}'. 'palimpsest list --all' shows those of all folders.`;
    throw new SessionError(reason, { folder: root });
  }
  const all = await foldersIn(root);
  const found = all.includes(id) ? [id] : all.filter((each) => id !== '' && each.startsWith(id));
  const [only] = found;
  if (only !== undefined && found.length === 1) return readSession(sessionAt(root, only));
  const reason =
    only === undefined
      ? `There is no session '${id}'. 'palimpsest list --all' shows all.`
      : `'${id}' may be any of the sessions ${found.join(', ')}: give more of the id.`;
  throw new SessionError(reason, { folder: root });
}

/**
 * Finds the session that a command names: by the beginning of its id, or the last used one of the folder.
 *
 * @param folder - relative to where the command was called. @defaultValue that folder
 * @throws {@link SessionError} when there is none.
 */
export async function sessionNamed(
  id: string | undefined,
  folder: string | undefined,
  { env, cwd }: Pick<CliContext, 'env' | 'cwd'>,
): Promise<ListedSession> {
  const asked = resolve(cwd, folder ?? '.');
  // As sessions record their workspace: with links resolved. A folder that is not there has no links.
  return findSession(sessionsFolder(env), { id, workspace: await realpath(asked).catch(() => asked) });
}

/** Reads the sessions, the last used one first: each when it is asked for. */
async function* sessionsIn(root: string): AsyncGenerator<ListedSession | SessionError> {
  const sessions = (await foldersIn(root)).map((id) => sessionAt(root, id));
  const used = await Promise.all(sessions.map(({ log }) => stat(log).catch(() => undefined)));
  const order = sessions.map((session, index) => ({ session, usedAt: used[index]?.mtimeMs ?? 0 }));
  for (const { session } of order.sort((one, other) => other.usedAt - one.usedAt)) {
    try {
      yield await readSession(session);
    } catch (error) {
      if (!SessionError.isInstance(error)) throw error;
      if (!(await hasNotBegun(session))) yield error;
    }
  }
}

/** @throws {@link SessionError} when the log is missing, cannot be read, or is no session's. */
async function readSession(session: Session): Promise<ListedSession> {
  const { id, folder, log } = session;
  const found = await stat(log).catch(() => undefined);
  if (found === undefined) throw new SessionError(`'${folder}' is no session: it has no '${id}.jsonl'.`, { folder });
  // A named pipe would be waited for.
  if (!found.isFile())
    throw new SessionError(`The log of session '${id}', '${log}', is no file. Move it away.`, { folder });
  const cannotBeRead = (cause: unknown): never => {
    throw new SessionError(`Session '${id}' cannot be read: ${whyUnreadable(log, cause)}`, { folder, cause });
  };
  const { settings, created, task, parent, lastStatus } = await factsIn(log).catch(cannotBeRead);
  if (settings === undefined || created === undefined) {
    // A damaged line may have said it. The store names the line.
    await EventLog.open(id, { store: session.store }).catch(cannotBeRead);
    throw new SessionError(`'${folder}' is no session: its log does not say in which folder it worked.`, { folder });
  }
  return {
    session,
    record: { id, ...settings, created, task: task ?? '', parent },
    lastStatus,
    usedAt: found.mtimeMs,
  };
}

interface LogFacts {
  created?: string;
  settings?: SessionSettings;
  task?: string;
  parent?: string;
  lastStatus?: string;
}

/** Collects what a list shows. Most lines are long and of other events: they are passed over without being parsed. */
async function factsIn(log: string): Promise<LogFacts> {
  const facts: LogFacts = {};
  for await (const line of linesOf(log)) {
    const mayBeTask = facts.task === undefined && line.includes('"message"');
    if (facts.created === undefined || mayBeTask || line.includes('conversation-state-update'))
      addFacts(facts, parsed(line));
  }
  return facts;
}

function addFacts(facts: LogFacts, event: Event | undefined): void {
  if (event === undefined) return;
  facts.created ??= event.timestamp;
  if (isUserMessage(event)) facts.task ??= firstWords(event);
  if (event.type !== 'conversation-state-update') return;
  const { key, value } = event;
  if (key === settingsKey) facts.settings = settingsSchema.safeParse(value).data ?? facts.settings;
  if (key === 'status' && typeof value === 'string') facts.lastStatus = value;
  if (key === 'forked-from') facts.parent = forkSchema.safeParse(value).data?.conversationId ?? facts.parent;
}

/** Unit: bytes. */
const readAtOnce = 262_144;

/** Reads the whole lines of a file. A last line without its end is one that a process died in. */
async function* linesOf(path: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: readAtOnce }) as AsyncIterable<Buffer>) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf('\n'); end >= 0; end = bytes.indexOf('\n', start)) {
      yield bytes.subarray(start, end);
      start = end + 1;
    }
    rest = bytes.subarray(start);
  }
}

/** Undefined for a line that is damaged, or no event. Whoever opens the session is told. */
function parsed(line: Buffer): Event | undefined {
  try {
    return parseEvent(JSON.parse(line.toString('utf8')));
  } catch {
    return undefined;
  }
}

/** Unit: characters. */
const longestTask = 200;

function firstWords({ content }: Extract<Event, { type: 'message' }>): string {
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ');
  return sliceText(text.replace(/\s+/g, ' ').trim(), 0, longestTask);
}

/**
 * Returns the state of a session: the status of its conversation; `at work in process 123` while it runs; `cut off` if
 * its process died.
 */
export async function sessionStatus({
  session: { store, id },
  lastStatus = 'idle',
}: Pick<ListedSession, 'session' | 'lastStatus'>): Promise<string> {
  if (lastStatus !== 'running' && lastStatus !== 'idle') return lastStatus;
  try {
    await (await store.openForWriting(id)).close();
    return lastStatus === 'idle' ? lastStatus : 'cut off';
  } catch (error) {
    if (ConversationBusyError.isInstance(error)) return `at work in ${error.holder}`;
    throw error;
  }
}

async function foldersIn(root: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(root, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
    const reason = `Cannot read the sessions in '${root}': ${(cause as Error).message}`;
    throw new SessionError(reason, { folder: root, cause });
  }
}

/** A process that was killed before its session began leaves no more than a log without events. */
async function hasNotBegun({ folder, log }: Session): Promise<boolean> {
  const entries = await readdir(folder).catch(() => [folder]);
  const isLog = (name: string) => name === basename(log) || name.endsWith('.lock');
  const found = await stat(log).catch(() => undefined);
  return entries.every(isLog) && (found === undefined || (found.isFile() && found.size === 0));
}

/** A session that cannot be found, read or gone on with. The message says which, and what to do. */
export class SessionError extends PalimpsestError {
  static override get typeName(): string {
    return 'SessionError';
  }

  /** The session's folder, or the folder of all sessions. */
  readonly folder: string;

  constructor(message: string, options: { readonly folder: string; readonly cause?: unknown }) {
    super('session', message, { cause: options.cause });
    this.folder = options.folder;
  }
}

/** Returns why a log cannot be read, with the command that repairs a copy, if it is damaged. */
export function whyUnreadable(log: string, cause: unknown): string {
  if (!isDamage(cause)) return (cause as Error).message;
  const why = DuplicateEventError.isInstance(cause)
    ? `${log}: the id '${cause.eventId}' stands there twice`
    : cause.message;
  return `${why}. To repair a copy: palimpsest doctor '${log}'`;
}

/** Returns true for the error of a log that holds something else than events, each once. */
export function isDamage(error: unknown): error is DuplicateEventError | EventStoreError {
  return DuplicateEventError.isInstance(error) || (EventStoreError.isInstance(error) && error.line !== undefined);
}
