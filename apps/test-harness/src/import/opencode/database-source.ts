import { access } from 'node:fs/promises';
import { logReadError, unknownLogFormat } from '../errors.js';
import type { LogRecord, LogSource, OpenLogOptions } from '../log-format.js';
import { NoteTaker } from '../note-taker.js';
import { isDatabase, openOpencodeDatabase } from './database.js';
import { messageOf } from '../../harness-error.js';
import { parseSessionAddress } from './session-address.js';

/** A database, and the session that an address names. */
export interface DatabasePlace {
  readonly database: string;
  readonly id: string | undefined;
}

/** The database that a path or an address names; `undefined` for any other file. @throws {@link HarnessError} `log-read` */
export async function databasePlace(path: string): Promise<DatabasePlace | undefined> {
  const address = (await exists(path)) ? undefined : parseSessionAddress(path);
  const place = { database: address?.database ?? path, id: address?.id };
  return (await reading(path, isDatabase(place.database))) ? place : undefined;
}

/** A log of many sessions: a record is one of them, as `opencode export` prints it. */
export function databaseSource({ database, id }: DatabasePlace, file: string, options: OpenLogOptions): LogSource {
  const notes = new NoteTaker(file);
  const ownName = options.name ?? file;
  return {
    // No other database is read, so this much is known before it is opened.
    head: [{ info: { id: id ?? 'ses' }, messages: [] }],
    document: undefined,
    file,
    name: id !== undefined && ownName.endsWith(`#${id}`) ? ownName.slice(0, -id.length - 1) : ownName,
    notes,
    records: () => records({ database, id }, file, notes, options),
  };
}

async function* records(
  { database, id }: DatabasePlace,
  file: string,
  notes: NoteTaker,
  { knownFormats, signal }: OpenLogOptions,
): AsyncGenerator<LogRecord> {
  const opened = await reading(file, openOpencodeDatabase(database));
  try {
    const refuse = (reason: string): never => {
      throw unknownLogFormat({ file, reason, knownFormats });
    };
    if (!opened.isOpencode) refuse('it is an SQLite database without sessions of opencode');
    const ids = id === undefined ? opened.sessions().map((session) => session.id) : [id];
    for (const [index, wanted] of ids.entries()) {
      signal?.throwIfAborted();
      const value = opened.session(wanted, notes) ?? refuse(`the database has no session '${wanted}'`);
      yield { value, line: index + 1, continues: false };
    }
  } finally {
    await opened.close();
  }
}

async function reading<Result>(file: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (cause) {
    throw logReadError({ file, reason: messageOf(cause), cause });
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
