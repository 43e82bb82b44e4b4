import { constants } from 'node:fs';
import { access, copyFile, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database, QueryResult } from 'node-sqlite3-wasm';
import { logReadError, messageOf } from '../harness-error.js';
import { unknownLogFormat } from './formats/index.js';
import { isObject, objectOf, textOf } from './log/json.js';
import type { JsonObject } from './log/json.js';
import type { OpencodeDocument } from './log/opencode-session.js';
import { NoteTaker } from './log/session.js';
import type { LogRecord, LogSource, OpenLogOptions } from './log/session.js';

/**
 * Returns the address of one session in a database of many: `/home/me/.local/share/opencode/opencode.db#ses_1`. A path
 * of this form names a session only if no file has the path as its name.
 */
export function sessionAddress(database: string, id: string): string {
  return `${database}#${id}`;
}

/** Returns the database and the id in an address; `undefined` for a path without an id. */
export function parseSessionAddress(path: string): { readonly database: string; readonly id: string } | undefined {
  const [, database, id] = /^(.+)#(ses[\w-]*)$/s.exec(path) ?? [];
  return database === undefined || id === undefined ? undefined : { database, id };
}

/**
 * Opens the database that a path or an address names as a log of many sessions: a record is one of them, as `opencode export`
 * prints it. Resolves to `undefined` for any other file.
 *
 * @throws {@link HarnessError} `log-read`
 */
export async function databaseSource(path: string, { name, signal }: OpenLogOptions): Promise<LogSource | undefined> {
  const address = (await exists(path)) ? undefined : parseSessionAddress(path);
  const { database, id } = address ?? { database: path, id: undefined };
  if (!(await reading(path, isDatabase(database)))) return undefined;
  const notes = new NoteTaker(path);
  async function* records(): AsyncGenerator<LogRecord> {
    const opened = await reading(path, openOpencodeDatabase(database));
    try {
      if (!opened.isOpencode) throw unknownLogFormat(path, 'it is an SQLite database without sessions of opencode');
      const ids = id === undefined ? opened.sessions().map((session) => session.id) : [id];
      for (const [index, wanted] of ids.entries()) {
        signal?.throwIfAborted();
        const value = opened.session(wanted, notes);
        if (value === undefined) throw unknownLogFormat(path, `the database has no session '${wanted}'`);
        yield { value, line: index + 1, continues: false };
      }
    } finally {
      await opened.close();
    }
  }
  return {
    // No other database is read, so this much is known before it is opened.
    head: [{ info: { id: id ?? 'ses' }, messages: [] }],
    document: undefined,
    file: path,
    name: id !== undefined && name.endsWith(`#${id}`) ? name.slice(0, -id.length - 1) : name,
    notes,
    records,
  };
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

/** A session in opencode's database. */
export interface StoredRow {
  readonly id: string;
  /** Unit of both times: milliseconds since 1970. */
  readonly createdAt: number;
  readonly modifiedAt: number;
}

/** The first bytes of every SQLite database. */
const signature = 'SQLite format 3\0';

/** True for an SQLite database, by its content. */
async function isDatabase(file: string): Promise<boolean> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(signature.length), 0, signature.length, 0);
    return buffer.toString('latin1', 0, bytesRead) === signature;
  } finally {
    await handle.close();
  }
}

/**
 * Opens opencode's database. opencode may be writing to it, so a copy is read: the file and its write-ahead log, copied to a
 * temporary folder that `close()` removes. Nothing is written to the original.
 *
 * @throws Error when a file cannot be copied, or the copy is no sound database.
 */
export async function openOpencodeDatabase(file: string): Promise<OpencodeDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-opencode-'));
  try {
    const copy = join(folder, 'opencode.db');
    await copyFile(file, copy, constants.COPYFILE_FICLONE);
    await copyFile(`${file}-wal`, `${copy}-wal`, constants.COPYFILE_FICLONE).catch(ignoreMissing);
    const { default: sqlite } = await import('node-sqlite3-wasm');
    const database = new sqlite.Database(copy);
    try {
      // A write-ahead log can be read without shared memory only by a connection that is alone.
      database.exec('PRAGMA locking_mode = EXCLUSIVE');
      return new OpencodeDatabase(database, folder);
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/**
 * The sessions of an open database. Version 1 keeps them in `session`, `message` and `part`, version 2 in `session_v2` and
 * `session_message`. A database that was moved from one version to the other has both; then version 2 counts.
 */
export class OpencodeDatabase {
  readonly #database: Database;
  /** The temporary folder of the copy. */
  readonly #folder: string;
  readonly #tables: ReadonlySet<string | undefined>;

  constructor(database: Database, folder: string) {
    this.#database = database;
    this.#folder = folder;
    const tables = database.all("SELECT name FROM sqlite_master WHERE type = 'table'");
    this.#tables = new Set(tables.map((row) => textOf(row['name'])));
  }

  async close(): Promise<void> {
    this.#database.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** False for a database of another program. */
  get isOpencode(): boolean {
    return this.#sessionTables.length > 0;
  }

  /** The sessions, the oldest first. */
  sessions(): readonly StoredRow[] {
    const sessions = new Map<string, StoredRow>();
    for (const table of this.#sessionTables) {
      for (const row of this.#database.all(`SELECT id, time_created, time_updated FROM ${table}`)) {
        const id = textOf(row['id']) ?? '';
        const times = {
          createdAt: millisecondsOf(row['time_created']),
          modifiedAt: millisecondsOf(row['time_updated']),
        };
        if (!sessions.has(id)) sessions.set(id, { id, ...times });
      }
    }
    return [...sessions.values()].sort((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1));
  }

  /** The session with this id; `undefined` if there is none. */
  session(id: string, notes: NoteTaker): OpencodeDocument | undefined {
    for (const table of this.#sessionTables) {
      const row = this.#database.get(`SELECT * FROM ${table} WHERE id = ?`, id);
      if (row === null) continue;
      const messages = table === 'session_v2' ? this.#messagesV2(id, notes) : this.#messages(id, notes);
      const revert = objectOf(parsed(row['revert'], () => undefined));
      return {
        info: { id, title: row['title'], ...(textOf(revert['messageID']) === undefined ? {} : { revert }) },
        messages,
      };
    }
    return undefined;
  }

  get #sessionTables(): readonly ('session_v2' | 'session')[] {
    const has = (...names: readonly string[]): boolean => names.every((name) => this.#tables.has(name));
    return [
      ...(has('session_v2', 'session_message') ? (['session_v2'] as const) : []),
      ...(has('session', 'message', 'part') ? (['session'] as const) : []),
    ];
  }

  #messages(session: string, notes: NoteTaker): readonly unknown[] {
    const parts = this.#database.prepare('SELECT id, data FROM part WHERE message_id = ? ORDER BY id');
    try {
      const rows = this.#database.all(
        'SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id',
        session,
      );
      return rows.map((row) => ({
        info: dataOf(row, notes),
        parts: parts.all(row['id'] as string).map((part) => dataOf(part, notes)),
      }));
    } finally {
      parts.finalize();
    }
  }

  #messagesV2(session: string, notes: NoteTaker): readonly unknown[] {
    return this.#database
      .all('SELECT id, type, data FROM session_message WHERE session_id = ? ORDER BY seq', session)
      .map((row) => ({ ...dataOf(row, notes), type: row['type'] }));
  }
}

/** Returns the JSON in `data`, with the id of the row. */
function dataOf(row: QueryResult, notes: NoteTaker): JsonObject {
  const id = textOf(row['id']) ?? '';
  const data = parsed(row['data'], () => {
    notes.add('not-json', `the data of '${id}' is not JSON and was left out`);
  });
  return { ...objectOf(data), id };
}

function parsed(text: unknown, onBroken: () => void): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    onBroken();
    return undefined;
  }
}

function millisecondsOf(value: unknown): number {
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : 0;
}

function ignoreMissing(error: unknown): void {
  if (!isObject(error) || error['code'] !== 'ENOENT') throw error;
}
