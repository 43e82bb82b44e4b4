import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { ConcurrencyError, EventStoreError, WriterOustedError } from '../errors.js';
import { startHeartbeat } from './heartbeat.js';
import type { Heartbeat } from './heartbeat.js';
import type { KnownLog } from './known-log.js';
import type { LockedLog } from './locked-log.js';
import type { IdleFile, OpenFiles } from './open-files.js';
import type { AppendLines } from './write-lines.js';
import type { WriterLock } from './writer-lock.js';

/** What a {@link LogWriter} is given besides the log. */
export interface LogWriterOptions {
  readonly conversationId: string;
  readonly file: string;
  readonly openFiles: OpenFiles;
  /** Looks at the log, and makes it end with a whole append. */
  readonly repair: (handle: FileHandle) => Promise<KnownLog>;
  readonly write: (handle: FileHandle, log: KnownLog, lines: AppendLines) => Promise<KnownLog>;
}

/**
 * Has one log to itself, and its file open, until it is closed. Nobody else appends meanwhile, so an append looks at nothing
 * but its own token: after the lines are written, since who is ousted before that writes to a file that is no longer the log,
 * or to one whose copy holds what was written.
 */
export class LogWriter implements IdleFile {
  readonly #options: LogWriterOptions;
  readonly #lock: WriterLock;
  readonly #heartbeat: Heartbeat;
  #handle: FileHandle | undefined;
  /** Undefined after a write that failed: what it has left behind is not known. */
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

  /** Keeps a locked log. Its place among the open files is the writer's from now on. */
  static async keep(locked: LockedLog, options: LogWriterOptions): Promise<LogWriter> {
    const log = await options.repair(locked.handle);
    const writer = new LogWriter(locked, log, await startHeartbeat(locked.lock.token), options);
    await options.openFiles.rest(writer);
    return writer;
  }

  /** Appends lines, all or none, and resolves to the new version; without lines, to the version. */
  append(lines: AppendLines | undefined, expectedVersion: number | undefined): Promise<number> {
    const { conversationId } = this.#options;
    if (this.#closed !== undefined) {
      return Promise.reject(new EventStoreError(`The writer of '${conversationId}' is closed.`));
    }
    const appended = this.#lastAppend.then(() => this.#append(lines, expectedVersion));
    this.#lastAppend = appended.catch(() => undefined);
    return appended;
  }

  /** Waits for the appends that are under way, closes the file and lets others in. */
  close(): Promise<void> {
    this.#closed ??= this.#lastAppend.then(() => this.#close());
    return this.#closed;
  }

  async closeIdle(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  async #append(lines: AppendLines | undefined, expectedVersion: number | undefined): Promise<number> {
    if (this.#isOusted) throw new WriterOustedError(this.#options.conversationId);
    const handle = await this.#wake();
    try {
      const log = (this.#log ??= await this.#options.repair(handle));
      if (expectedVersion !== undefined && expectedVersion !== log.version) {
        const { conversationId } = this.#options;
        throw new ConcurrencyError({ conversationId, expectedVersion, actualVersion: log.version });
      }
      if (lines !== undefined) {
        this.#log = undefined;
        const appended = await this.#options.write(handle, log, lines);
        await this.#assertNotOusted();
        this.#log = appended;
      }
      return this.#log?.version ?? log.version;
    } finally {
      await this.#options.openFiles.rest(this);
    }
  }

  /** The open log: opened again where another file needed its place. */
  async #wake(): Promise<FileHandle> {
    const { openFiles, file } = this.#options;
    if (openFiles.wake(this) && this.#handle !== undefined) return this.#handle;
    await openFiles.take();
    try {
      this.#handle = await open(file, constants.O_RDWR | constants.O_APPEND);
      // Asked after it was opened: who is not ousted by now has opened the log that is its own.
      await this.#assertNotOusted();
      return this.#handle;
    } catch (error) {
      await this.closeIdle();
      openFiles.give();
      throw error;
    }
  }

  async #assertNotOusted(): Promise<void> {
    if (await this.#lock.isOurs()) return;
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
