import { constants } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConcurrencyError, ConversationBusyError, EventStoreError } from '../errors.js';
import type { Event } from '../event.js';
import { assertExpectedVersion, eventReading } from '../event-store.js';
import type { ConversationWriter, EventReading } from '../event-store.js';
import { parseEvent } from '../parse-event.js';
import type { ConversationFiles } from './conversation-files.js';
import { createFolder, isSystemError, openLog, syncFolder, unless } from './files.js';
import { beginning, examineEnd, examineLog, knownAt, withAppended } from './known-log.js';
import type { KnownLog, LogEnd } from './known-log.js';
import { lockLog } from './writer-lock.js';
import type { LockedLog, LockIsBusy } from './writer-lock.js';
import { HeartbeatWatch } from './writer-life.js';
import { lineBlocks, linesOf, parseBlock, readRange, writeLines } from './log-lines.js';
import { assertAtVersion, LogWriter } from './log-writer.js';
import type { OpenFiles } from './files.js';
import { repairTail } from './repair.js';
import type { Repair, RepairReport } from './repair.js';
import type { AppendLines } from './log-lines.js';
import type { WriterTokens } from './writer-life.js';

/** The settings that all logs of a store share. */
interface LogSettings {
  readonly fsync: boolean;
  readonly lockTimeoutMs: number;
  readonly tokens: WriterTokens;
  /** Unit: milliseconds. */
  readonly monotonicNow: () => number;
  readonly openFiles: OpenFiles;
  readonly onRepair: (report: RepairReport) => void;
}

type Action = 'append to' | 'read' | 'open' | 'close';

/** A log that is open for reading. */
interface OpenedLog {
  readonly handle: FileHandle;
  readonly end: LogEnd;
  /** The end of the last append. Unit: bytes. */
  readonly upTo: number;
}

/** An append that was written, and its place in the file. */
interface AttemptedAppend {
  readonly lines: AppendLines;
  /** Unit: bytes. */
  readonly start: number;
  /** The version after the append. */
  readonly version: number;
}

/** One conversation's log on disk, as one store sees it. */
export class LogFile {
  readonly #conversationId: string;
  readonly #files: ConversationFiles;
  readonly #settings: LogSettings;
  readonly #watch: HeartbeatWatch;
  #known: KnownLog | undefined;
  #isFolderReady = false;
  #isNameSynced = false;
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor(conversationId: string, files: ConversationFiles, settings: LogSettings) {
    this.#conversationId = conversationId;
    this.#files = files;
    this.#settings = settings;
    this.#watch = new HeartbeatWatch(settings.monotonicNow);
  }

  /** Appends events, all or none, and resolves to the new version. At least one event is required. */
  append(events: readonly Event[], expectedVersion: number | undefined): Promise<number> {
    const lines = linesOf(jsonOf(events));
    return this.#naming(
      'append to',
      this.#inTurn(() => this.#append(lines, expectedVersion)),
    );
  }

  /** Opens the conversation for writing, until the writer is closed. */
  openForWriting(): Promise<ConversationWriter> {
    const opened = this.#inTurn(async (): Promise<ConversationWriter> => {
      const writer = await this.#openForWriting();
      return {
        append: async (events, { expectedVersion } = {}) => {
          assertExpectedVersion(expectedVersion);
          const appended = writer.append(jsonOf(events.map((event) => parseEvent(event))), expectedVersion);
          return { version: await this.#naming('append to', appended) };
        },
        close: () => this.#naming('close', writer.close()),
      };
    });
    return this.#naming('open', opened);
  }

  /** Returns the events from an index on, as of the start of the reading. */
  read(from: number, signal: AbortSignal | undefined): EventReading {
    return eventReading(() => this.#batches(from, signal), signal);
  }

  async *#batches(from: number, signal: AbortSignal | undefined): AsyncGenerator<readonly Event[], void, undefined> {
    const file = this.#files.log;
    let handle: FileHandle | undefined;
    try {
      const opened = await this.#openToRead();
      if (opened === undefined) return;
      handle = opened.handle;
      const { end, upTo } = opened;
      const start = end.base.version <= from ? end.base : beginning;
      let { version, lines } = start;
      for await (const block of lineBlocks(handle, file, start.size, upTo, signal)) {
        const { parsed, error, ...count } = parseBlock(block, { file, line: lines + 1 }, from - version);
        if (parsed.length > 0) yield parsed;
        if (error !== undefined) throw error;
        version += count.events;
        lines += count.lines;
      }
      // Remembered, so that the next append need not count the events again.
      const isNew = this.#known?.identity !== end.identity || this.#known.size < upTo;
      if (isNew && upTo === end.tail.end) {
        this.#known = await knownAt(handle, end.identity, { size: upTo, version, lines });
      }
    } catch (error) {
      throw this.#storeError('read', error);
    } finally {
      await handle?.close();
    }
  }

  /**
   * Returns the number of events; the number of lines if the end of the file is not a valid log. The cost is linear in
   * the bytes added since this store last read the file.
   */
  async version(): Promise<number> {
    try {
      const opened = await this.#openToRead();
      if (opened === undefined) return 0;
      try {
        this.#known = await examineLog(opened.handle, this.#files.log, this.#known);
      } finally {
        await opened.handle.close();
      }
      return this.#known.version;
    } catch (error) {
      // A broken log is counted by its lines, so that it does not hide the other logs of a list.
      if (error instanceof EventStoreError && error.line !== undefined) return error.line;
      throw this.#storeError('read', error);
    }
  }

  async #openForWriting(): Promise<LogWriter> {
    const { openFiles } = this.#settings;
    await this.#createFolder();
    await openFiles.take();
    let locked: LockedLog | undefined;
    try {
      const acquired = await this.#lock({ create: true, waitForSilence: true });
      const conversationId = this.#conversationId;
      if ('holder' in acquired) throw new ConversationBusyError({ conversationId, holder: acquired.holder });
      locked = acquired;
      return await LogWriter.keep(locked, {
        conversationId,
        file: this.#files.log,
        openFiles,
        repair: (handle) => this.#repaired(handle),
        write: async (handle, log, lines) => (this.#known = await this.#write(handle, log, lines)),
      });
    } catch (error) {
      await locked?.release();
      openFiles.give();
      throw error;
    }
  }

  async #append(lines: AppendLines, expectedVersion: number | undefined): Promise<number> {
    const { openFiles } = this.#settings;
    const create = (expectedVersion ?? 0) === 0;
    if (create) await this.#createFolder();
    await openFiles.take();
    try {
      return await this.#appendAlone(lines, expectedVersion, create);
    } finally {
      openFiles.give();
    }
  }

  async #appendAlone(lines: AppendLines, expectedVersion: number | undefined, create: boolean): Promise<number> {
    const conversationId = this.#conversationId;
    for (let attempted: AttemptedAppend | undefined; ;) {
      const locked = await unless(this.#lock({ create, waitForSilence: true }), ...(create ? [] : ['ENOENT']));
      if (locked === undefined) throw new ConcurrencyError({ conversationId, expectedVersion, actualVersion: 0 });
      if ('holder' in locked) throw this.#busy(locked, expectedVersion);
      let appended: KnownLog | undefined;
      let alone: boolean;
      try {
        const log = await this.#repaired(locked.handle);
        if (attempted === undefined || !(await holds(locked.handle, attempted))) {
          assertAtVersion(log.version, conversationId, expectedVersion);
          attempted = { lines, start: log.size, version: log.version + lines.count };
          appended = await this.#write(locked.handle, log, lines);
        }
      } finally {
        alone = await locked.release();
      }
      // The events were in the log already.
      if (appended === undefined) return attempted.version;
      if (alone) {
        this.#known = appended;
        return attempted.version;
      }
      // This writer was ousted while it wrote: all of its events are in the log, or none. Only the holder of the lock can tell.
    }
  }

  async #write(handle: FileHandle, log: KnownLog, lines: AppendLines): Promise<KnownLog> {
    const { fsync } = this.#settings;
    if (fsync && !this.#isNameSynced) {
      // Needed for an existing file too: its creator may have died before this call.
      await syncFolder(dirname(this.#files.log));
      this.#isNameSynced = true;
    }
    try {
      await writeLines(handle, lines, fsync);
      return withAppended(log, lines);
    } catch (error) {
      // If this fails too, it leaves a torn append, which the next writer repairs.
      await handle.truncate(log.size).catch(() => undefined);
      throw error;
    }
  }

  /** Examines the log and repairs a torn end. The caller holds the lock. */
  async #repaired(handle: FileHandle): Promise<KnownLog> {
    const file = this.#files.log;
    const log = await examineLog(handle, file, this.#known);
    if (log.size === log.fileSize) return log;
    this.#report(log, await repairTail(handle, log, this.#files.torn));
    return await examineLog(handle, file, log);
  }

  async #openToRead(): Promise<OpenedLog | undefined> {
    const file = this.#files.log;
    for (let attempt = 0; ; attempt++) {
      const handle = await unless(openLog(file, constants.O_RDONLY), 'ENOENT');
      if (handle === undefined) return undefined;
      let kept = false;
      try {
        const end = await examineEnd(handle, file, this.#known);
        // The end is torn or is being written at this moment. Taking the lock decides which.
        const repaired = end.tail.end < end.fileSize && attempt === 0 ? await this.#tryToRepair(handle) : 'busy';
        if (repaired === 'repaired') continue;
        kept = true;
        return { handle, end, upTo: repaired === 'unwritable' ? end.tail.wholeEnd : end.tail.end };
      } finally {
        if (!kept) await handle.close();
      }
    }
  }

  async #tryToRepair(handle: FileHandle): Promise<'repaired' | 'busy' | 'unwritable'> {
    try {
      const locked = await this.#lock({ create: false, waitForSilence: false, timeoutMs: 0 });
      if ('holder' in locked) return 'busy';
      try {
        await this.#repaired(locked.handle);
      } finally {
        await locked.release();
      }
      return 'repaired';
    } catch (error) {
      if (!isSystemError(error)) throw error;
      const log = await examineLog(handle, this.#files.log, this.#known);
      const tornBytes = log.fileSize - log.tail.wholeEnd;
      if (tornBytes > 0) this.#report(log, { repair: 'left-out', tornBytes });
      return 'unwritable';
    }
  }

  #lock(options: {
    readonly create: boolean;
    readonly waitForSilence: boolean;
    readonly timeoutMs?: number;
  }): Promise<LockedLog | LockIsBusy> {
    const { tokens, lockTimeoutMs } = this.#settings;
    return lockLog(this.#files, { tokens, watch: this.#watch, timeoutMs: lockTimeoutMs, ...options });
  }

  async #createFolder(): Promise<void> {
    if (this.#isFolderReady) return;
    const { log, id } = this.#files;
    await createFolder(dirname(log), this.#settings.fsync);
    if (id !== undefined) await this.#writeId(id);
    this.#isFolderReady = true;
  }
  async #writeId(file: string): Promise<void> {
    const temporary = `${file}.${this.#settings.tokens.create()}`;
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(JSON.stringify(this.#conversationId));
      if (this.#settings.fsync) await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  }

  #report(log: KnownLog, repair: Repair): void {
    const report = { conversationId: this.#conversationId, file: this.#files.log, line: log.lines + 1, ...repair };
    try {
      this.#settings.onRepair(report);
    } catch {
      // An error of `onRepair` does not undo the repair or fail the append or read that made it.
    }
  }

  #busy({ holder, isHeld }: LockIsBusy, expectedVersion: number | undefined): ConcurrencyError | ConversationBusyError {
    if (isHeld) return new ConversationBusyError({ conversationId: this.#conversationId, holder });
    const reason = `${holder} has been writing to it for longer than ${this.#settings.lockTimeoutMs} ms`;
    return new ConcurrencyError({ conversationId: this.#conversationId, expectedVersion, reason });
  }

  /** Runs the work of one store one after another, so that its appends never compete for the lock. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#lastTurn.then(work);
    this.#lastTurn = done.catch(() => undefined);
    return done;
  }

  /** Converts errors of the operating system to errors of the store. */
  async #naming<T>(action: Action, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw this.#storeError(action, error);
    }
  }

  #storeError(action: Action, cause: unknown): unknown {
    if (!isSystemError(cause)) return cause;
    const file = this.#files.log;
    return new EventStoreError(`Cannot ${action} '${file}': ${cause.message}`, { file, cause });
  }
}

/** Returns true if the file contains exactly these lines at their place. */
async function holds(handle: FileHandle, { lines, start }: AttemptedAppend): Promise<boolean> {
  return (await readRange(handle, start, start + lines.bytes.length)).equals(lines.bytes);
}

function jsonOf(events: readonly Event[]): readonly string[] {
  return events.map((event) => JSON.stringify(event));
}
