import { open, rename, rm, stat } from 'node:fs/promises';
import type { Event } from '@palimpsest/events';
import { bytesOfFile } from '../settings/user-files.js';
import { SessionError, whyUnreadable } from './errors.js';
import { recordOf, recordVersion, sessionRecordSchema } from './session-record.js';
import type { SessionRecord } from './session-record.js';
import type { Session } from './session.js';

/**
 * Writes `session.json` from the log: whole or not at all. A log that does not say where it works has none. Where nothing can be written, on a
 * full or a read-only disk, the record is the one that the log gives: the file only repeats it.
 */
export async function writeRecord(session: Session, events: Iterable<Event>): Promise<SessionRecord | undefined> {
  const record = recordOf(session.id, events);
  if (record === undefined) return undefined;
  const draft = `${session.record}.${process.pid}.tmp`;
  try {
    await writeAndSync(draft, `${JSON.stringify(record, undefined, 2)}\n`);
    await rename(draft, session.record);
  } catch {
    await rm(draft, { force: true }).catch(() => undefined);
  }
  return record;
}

async function writeAndSync(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Reads `session.json`. One that is missing, torn, or of another session is written anew from the log.
 *
 * @throws {@link SessionError} when a newer version wrote it, or the log is missing, broken, or no session's.
 */
export async function readRecord(session: Session): Promise<SessionRecord> {
  const { folder } = session;
  const bytes = await bytesOfFile(session.record).catch(() => undefined);
  const found = parsed(bytes?.toString() ?? '');
  const { success, data } = sessionRecordSchema.safeParse(found);
  if (success && data.id === session.id) return data;
  const version = (found as { readonly schemaVersion?: unknown } | null)?.schemaVersion;
  if (typeof version === 'number' && version > recordVersion) {
    throw new SessionError(`Session '${session.id}' was made by a newer version of palimpsest; install that.`, {
      folder,
    });
  }
  await assertHasLog(session);
  const record = await writeRecord(session, await eventsOf(session));
  if (record !== undefined) return record;
  throw new SessionError(`'${folder}' is no session: its log does not say in which folder it worked.`, { folder });
}

/** Without this, asking the store would make a log in any folder. */
async function assertHasLog({ id, folder, log }: Session): Promise<void> {
  const isThere = await stat(log).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isThere) throw new SessionError(`'${folder}' is no session: it has no '${id}.jsonl'.`, { folder });
}

async function eventsOf({ id, store, folder, log }: Session): Promise<readonly Event[]> {
  const events: Event[] = [];
  try {
    for await (const event of store.read(id)) events.push(event);
  } catch (cause) {
    throw new SessionError(`Session '${id}' cannot be read: ${whyUnreadable(log, cause)}`, { folder, cause });
  }
  return events;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
