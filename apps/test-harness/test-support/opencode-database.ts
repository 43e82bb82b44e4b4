import { copyFile, rm } from 'node:fs/promises';
import sqlite from 'node-sqlite3-wasm';

/** A session of version 1 or 2, as `opencode export` prints it. */
interface Exported {
  readonly info: Readonly<Record<string, unknown>>;
  readonly messages: readonly unknown[];
}

const allTables: readonly string[] = [
  'CREATE TABLE session (id TEXT PRIMARY KEY, title TEXT, revert TEXT, time_created INTEGER, time_updated INTEGER)',
  'CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT)',
  'CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT)',
  'CREATE TABLE session_v2 (id TEXT PRIMARY KEY, title TEXT, revert TEXT, time_created INTEGER, time_updated INTEGER)',
  'CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, seq INTEGER, data TEXT)',
];

/**
 * Writes sessions to a database with the tables of opencode. With `keepLog` the rows stand in the write-ahead log, as while
 * opencode runs.
 */
export async function writeOpencodeDatabase(
  file: string,
  sessions: readonly Exported[],
  options: { readonly keepLog?: boolean; readonly tables?: readonly string[] } = {},
): Promise<void> {
  const place = options.keepLog === true ? `${file}.writing` : file;
  const database = new sqlite.Database(place);
  if (options.keepLog === true) {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0');
  }
  database.exec('PRAGMA synchronous = OFF; BEGIN');
  for (const table of options.tables ?? allTables) database.exec(table);
  for (const session of sessions) writeSession(database, session);
  database.exec('COMMIT');
  if (options.keepLog === true) {
    await copyFile(place, file);
    await copyFile(`${place}-wal`, `${file}-wal`);
  }
  database.close();
  if (options.keepLog === true) await rm(place);
}

/** Returns true for an event that holds this text anywhere. */
export function isRecordOf(text: string): (event: unknown) => boolean {
  return (event) => JSON.stringify(event).includes(text);
}

function writeSession(database: sqlite.Database, { info, messages }: Exported): void {
  const id = String(info['id']);
  const { created, updated } = info['time'] as { readonly created: number; readonly updated: number };
  const isFirst = messages.every((message) => 'info' in (message as object));
  const table = isFirst ? 'session' : 'session_v2';
  database.run(`INSERT INTO ${table} VALUES (?, ?, NULL, ?, ?)`, [id, 'A title', created, updated]);
  // Written last first: the order of the rows is not the order of the session.
  for (const [index, message] of [...messages.entries()].reverse()) {
    if (isFirst) writeMessage(database, id, message as Parameters<typeof writeMessage>[2]);
    else {
      const { id: messageId, type, ...data } = message as { readonly id: string; readonly type: string };
      database.run('INSERT INTO session_message VALUES (?, ?, ?, ?, ?)', [
        messageId,
        id,
        type,
        index,
        JSON.stringify(data),
      ]);
    }
  }
}

function writeMessage(
  database: sqlite.Database,
  session: string,
  message: {
    readonly info: Readonly<Record<string, unknown>>;
    readonly parts: readonly Readonly<Record<string, unknown>>[];
  },
): void {
  const { id, ...info } = message.info;
  const { created } = info['time'] as { readonly created: number };
  database.run('INSERT INTO message VALUES (?, ?, ?, ?)', [String(id), session, created, JSON.stringify(info)]);
  for (const { id: part, ...data } of [...message.parts].reverse()) {
    database.run('INSERT INTO part VALUES (?, ?, ?, ?)', [String(part), String(id), session, JSON.stringify(data)]);
  }
}
