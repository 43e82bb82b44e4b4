import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { ConcurrencyError, EventStoreError, WriterOustedError } from '../errors.js';
import { startHeartbeat } from './writer-life.js';
import type { Heartbeat } from './writer-life.js';
import type { KnownLog } from './known-log.js';
import type { LockedLog, WriterLock } from './writer-lock.js';
import type { IdleFile, OpenFiles } from './files.js';
import { linesOf } from './log-lines.js';
import type { AppendLines } from './log-lines.js';

/** Options of {@link LogWriter}. */
interface LogWriterOptions {
  readonly conversationId: string;
  readonly file: string;
  readonly openFiles: OpenFiles;
  /** Examines the log and repairs a torn end. */
  readonly repair: (handle: FileHandle) => Promise<KnownLog>;
  readonly write: (handle: FileHandle, log: KnownLog, lines: AppendLines) => Promise<KnownLog>;
}

/**
 * The only writer of one log, with its file open, until it is closed. No other writer appends meanwhile, so an append checks
 * only its own token. It checks after writing the lines: a writer that was ousted earlier has written to a file that is no
 * longer the log, or to one whose copy contains the lines.
 */
export class LogWriter implements IdleFile {
  readonly #options: LogWriterOptions;
  readonly #lock: WriterLock;
  readonly #heartbeat: Heartbeat;
  #handle: FileHandle | undefined;
  /** Undefined after a failed write, because the state of the file is unknown then. */
  #log: KnownLog | undefined;
  #isOusted = false;
  #closed: Promise<void> | undefined;
  #lastAppend: Promise<unknown> = Promise.resolve();

  private constructor(locked: LockedLog, log: KnownLog, heartbeat: Heartbeat, options: LogWriterOptions) {
    this.#options = options;
    this.#lock = locked.lock;
    this.#handle = locked.handle;
    this.#log = log;
    this.#heartbeat = heartbeat;
  }

  /** Takes over a locked log, and its place among the open files. */
  static async keep(locked: LockedLog, options: LogWriterOptions): Promise<LogWriter> {
    const log = await options.repair(locked.handle);
    const writer = new LogWriter(locked, log, await startHeartbeat(locked.lock.token), options);
    await options.openFiles.rest(writer);
    return writer;
  }

  /**
   * Appends events (as JSON texts), all or none, and resolves to the new version. Without events it resolves to the current
   * version. Appends take effect one after another.
   */
  append(texts: readonly string[], expectedVersion: number | undefined): Promise<number> {
    if (this.#closed !== undefined) {
      return Promise.reject(new EventStoreError(`The writer of '${this.#options.conversationId}' is closed.`));
    }
    const done = this.#lastAppend.then(() => this.#append(texts, expectedVersion));
    this.#lastAppend = done.catch(() => undefined);
    return done;
  }

  /** Waits for the appends that are under way, closes the file and releases the lock. */
  close(): Promise<void> {
    this.#closed ??= this.#lastAppend.then(() => this.#close());
    return this.#closed;
  }

  async closeIdle(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  async #append(texts: readonly string[], expectedVersion: number | undefined): Promise<number> {
    const { conversationId, openFiles, repair, write } = this.#options;
    if (this.#isOusted) throw new WriterOustedError(conversationId);
    const handle = await this.#wake();
    try {
      const log = (this.#log ??= await repair(handle));
      assertAtVersion(log.version, conversationId, expectedVersion);
      if (texts.length === 0) return log.version;
      this.#log = undefined;
      const appended = await write(handle, log, linesOf(texts));
      this.#assertNotOusted();
      this.#log = appended;
      return appended.version;
    } finally {
      await openFiles.rest(this);
    }
  }

  /** Returns the open log. Opens it again if it was closed because another file needed its place. */
  async #wake(): Promise<FileHandle> {
    const { openFiles, file } = this.#options;
    if (openFiles.wake(this) && this.#handle !== undefined) return this.#handle;
    await openFiles.take();
    try {
      this.#handle = await open(file, constants.O_RDWR | constants.O_APPEND);
      // Checked after opening: a writer that is not ousted by now has opened the current log.
      this.#assertNotOusted();
      return this.#handle;
    } catch (error) {
      await this.closeIdle();
      openFiles.give();
      throw error;
    }
  }

  #assertNotOusted(): void {
    if (this.#lock.isOurs()) return;
    this.#isOusted = true;
    this.#heartbeat.stop();
    throw new WriterOustedError(this.#options.conversationId);
  }

  async #close(): Promise<void> {
    this.#heartbeat.stop();
    const { openFiles } = this.#options;
    try {
      if (openFiles.wake(this)) {
        await this.closeIdle();
        openFiles.give();
      }
    } finally {
      await this.#lock.release();
    }
  }
}

/** @throws {@link ConcurrencyError} when the log has another version than the append expects. */
export function assertAtVersion(
  actualVersion: number,
  conversationId: string,
  expectedVersion: number | undefined,
): void {
  if (expectedVersion === undefined || expectedVersion === actualVersion) return;
  throw new ConcurrencyError({ conversationId, expectedVersion, actualVersion });
}
