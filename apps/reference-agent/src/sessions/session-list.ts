import { readdir, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { SessionError } from './errors.js';
import { readRecord } from './record-file.js';
import type { SessionRecord } from './session-record.js';
import { sessionAt } from './session.js';
import type { Session } from './session.js';

/** A session that can be gone on with. */
export interface ListedSession {
  readonly session: Session;
  readonly record: SessionRecord;
  /** When its log was last written to. Unit: milliseconds of the epoch. */
  readonly usedAt: number;
}

/** What is in the folder of all sessions. */
export interface SessionList {
  /** The last used one first. */
  readonly sessions: readonly ListedSession[];
  /** Folders that are no session, or none that this version can read. */
  readonly problems: readonly SessionError[];
}

/** Lists the sessions: of one workspace, or of all. What cannot be read is told and skipped. */
export async function listSessions(root: string, options: { readonly workspace?: string } = {}): Promise<SessionList> {
  const sessions: ListedSession[] = [];
  const problems: SessionError[] = [];
  for (const id of await foldersIn(root)) {
    try {
      const listed = await readSession(root, id);
      if (options.workspace === undefined || listed.record.workspace === options.workspace) sessions.push(listed);
    } catch (error) {
      if (!SessionError.isInstance(error)) throw error;
      if (!(await hasNotBegun(sessionAt(root, id)))) problems.push(error);
    }
  }
  return { sessions: sessions.sort((one, other) => other.usedAt - one.usedAt), problems };
}

/**
 * Finds the session whose id begins so; without an id the last used one of the workspace.
 *
 * @throws {@link SessionError} when there is none, more than one, or it cannot be read.
 */
export async function findSession(
  root: string,
  wanted: { readonly id?: string | undefined; readonly workspace: string },
): Promise<ListedSession> {
  const { id, workspace } = wanted;
  if (id === undefined) {
    const [newest] = (await listSessions(root, { workspace })).sessions;
    if (newest !== undefined) return newest;
    throw new SessionError(
      `There is no session of '${workspace}'. 'palimpsest list --all' shows those of all folders.`,
      {
        folder: root,
      },
    );
  }
  const all = await foldersIn(root);
  const found = all.includes(id) ? [id] : all.filter((each) => id !== '' && each.startsWith(id));
  const [only] = found;
  if (only !== undefined && found.length === 1) return readSession(root, only);
  const reason =
    only === undefined
      ? `There is no session '${id}'. 'palimpsest list --all' shows all.`
      : `'${id}' may be any of the sessions ${found.join(', ')}: give more of the id.`;
  throw new SessionError(reason, { folder: root });
}

async function readSession(root: string, id: string): Promise<ListedSession> {
  const session = sessionAt(root, id);
  const record = await readRecord(session);
  // A session whose log went away after its record was written.
  const log = await stat(session.log).catch((cause: unknown) => {
    throw new SessionError(`Session '${id}' has lost its log, '${session.log}'.`, { folder: session.folder, cause });
  });
  // A named pipe would be waited for.
  if (!log.isFile()) {
    throw new SessionError(`The log of session '${id}', '${session.log}', is no file. Move it away.`, {
      folder: session.folder,
    });
  }
  return { session, record, usedAt: log.mtimeMs };
}

async function foldersIn(root: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(root, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new SessionError(`Cannot read the sessions in '${root}': ${(cause as Error).message}`, {
      folder: root,
      cause,
    });
  }
}

/** A process that was killed before its session began leaves no more than a log without events. */
async function hasNotBegun({ folder, log }: Session): Promise<boolean> {
  const entries = await readdir(folder).catch(() => [folder]);
  const isLog = (name: string) => name === basename(log) || name.endsWith('.lock');
  const size = await stat(log).then(
    (found) => found.size,
    () => 0,
  );
  return entries.every(isLog) && size === 0;
}
