import { open, rename } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConcurrencyError, ConversationBusyError, EventStoreError } from '../errors.js';
import type { Event } from '../event.js';
import type { ConversationWriter } from '../event-store.js';
import { parseEvent } from '../parse-event.js';
import type { ConversationFiles } from './conversation-files.js';
import { isSystemError, unless } from './file-system-error.js';
import { examineLog, withAppended } from './known-log.js';
import type { ExaminedLog, KnownLog, LogPosition } from './known-log.js';
import { lockLog } from './locked-log.js';
import type { LockedLog } from './locked-log.js';
import { HeartbeatWatch } from './heartbeat.js';
import { eventsOf, lineBlocks, linesIn, readRange } from './log-lines.js';
import { LogWriter } from './log-writer.js';
import type { OpenFiles } from './open-files.js';
import { repairTail } from './repair.js';
import type { Repair, RepairReport } from './repair.js';
import { createFolder, syncFolder } from './sync-folder.js';
import { linesOf, writeLines } from './write-lines.js';
import type { AppendLines } from './write-lines.js';
import type { LockIsBusy } from './writer-lock.js';
import type { WriterTokens } from './writer-token.js';

/** What all logs of a store share. */
export interface LogSettings {
  readonly fsync: boolean;
  readonly lockTimeoutMs: number;
  readonly tokens: WriterTokens;
  /** Unit: milliseconds. */
  readonly monotonicNow: () => number;
  readonly openFiles: OpenFiles;
  readonly onRepair: (report: RepairReport) => void;
}

type Action = 'append to' | 'read' | 'open' | 'close';

/** A log that is open for reading, up to the end of its last append. */
interface OpenedLog {
  readonly handle: FileHandle;
  readonly log: KnownLog;
  readonly start: LogPosition;
  /** Unit: bytes. */
  readonly end: number;
}

const beginning: LogPosition = { size: 0, version: 0, lines: 0 };

/** One conversation's log on disk, as one store sees it. */
export class ConversationLog {
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

  /** Appends events, all or none, and resolves to the new version. */
  append(events: readonly Event[], expectedVersion: number | undefined): Promise<number> {
    const lines = linesOf(events);
    return this.#inTurn('append to', () => this.#append(lines, expectedVersion));
  }

  /** Opens it for writing, until the writer is closed. */
  openForWriting(): Promise<ConversationWriter> {
    return this.#inTurn('open', async () => {
      const writer = await this.#openForWriting();
      return {
        append: async (events, { expectedVersion } = {}) => {
          const parsed = events.map((event) => parseEvent(event));
          const appended = writer.append(parsed.length === 0 ? undefined : linesOf(parsed), expectedVersion);
          return { version: await this.#naming('append to', appended) };
        },
        close: () => this.#naming('close', writer.close()),
      };
    });
  }

  /** The events from an index on, as they are when the reading begins. */
  async *read(from: number, signal: AbortSignal | undefined): AsyncGenerator<Event, void, undefined> {
    const file = this.#files.log;
    let handle: FileHandle | undefined;
    try {
      const opened = await this.#openToRead(from);
      if (opened === undefined) return;
      handle = opened.handle;
      let { version, lines } = opened.start;
      for await (const block of lineBlocks(handle, file, opened.start.size, opened.end, signal)) {
        const line = lines + 1;
        const count = linesIn(block);
        const skip = version < from ? Math.min(from - version, count.events) : 0;
        version += skip;
        for (const event of eventsOf(block, { file, line }, skip)) {
          signal?.throwIfAborted();
          version++;
          yield event;
        }
        lines += count.lines;
      }
    } catch (error) {
      throw this.#storeError('read', error);
    } finally {
      await handle?.close();
    }
  }

  /**
   * How many events it holds; how many lines, where the end of the file is not a log's. Cost: what was added since this
   * store last looked.
   */
  async version(): Promise<number> {
    try {
      const opened = await this.#openToRead(0);
      await opened?.handle.close();
      return opened?.log.version ?? 0;
    } catch (error) {
      // To count is not to read: a broken log must not hide the others of a list.
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
    const create = expectedVersion === undefined || expectedVersion === 0;
    if (create) await this.#createFolder();
    await this.#settings.openFiles.take();
    try {
      return await this.#appendAlone(lines, expectedVersion, create);
    } finally {
      this.#settings.openFiles.give();
    }
  }

  async #appendAlone(lines: AppendLines, expectedVersion: number | undefined, create: boolean): Promise<number> {
    for (let attempted: KnownLog | undefined; ;) {
      const locked = await unless(this.#lock({ create, waitForSilence: true }), ...(create ? [] : ['ENOENT']));
      if (locked === undefined) throw this.#lostRace(expectedVersion, 0);
      if ('holder' in locked) throw this.#busy(locked, expectedVersion);
      let appended: KnownLog;
      let alone: boolean;
      try {
        const log = await this.#repaired(locked.handle);
        if (attempted !== undefined && (await holds(locked.handle, attempted.size, lines))) {
          return attempted.version + lines.count;
        }
        if (expectedVersion !== undefined && expectedVersion !== log.version) {
          throw this.#lostRace(expectedVersion, log.version);
        }
        attempted = log;
        appended = await this.#write(locked.handle, log, lines);
      } finally {
        alone = await locked.release();
      }
      if (alone) {
        this.#known = appended;
        return appended.version;
      }
      // Ousted while it wrote: the events are where they should be, or nowhere. Only who has the lock can tell.
    }
  }

  async #write(handle: FileHandle, log: KnownLog, lines: AppendLines): Promise<KnownLog> {
    const { fsync } = this.#settings;
    if (fsync && !this.#isNameSynced) {
      // Also where the file was there already: who created it may have died before this.
      await syncFolder(dirname(this.#files.log));
      this.#isNameSynced = true;
    }
    try {
      await writeLines(handle, lines, fsync);
      return withAppended(log, Buffer.concat([lines.body, lines.last]), lines.count);
    } catch (error) {
      // What this leaves behind when it fails too is a torn append, and the next writer repairs it.
      await handle.truncate(log.size).catch(() => undefined);
      throw error;
    }
  }

  /** Looks at the log, and makes it end with a whole append. The caller has its lock. */
  async #repaired(handle: FileHandle): Promise<KnownLog> {
    const file = this.#files.log;
    const log = await examineLog(handle, file, this.#known);
    if (log.size === log.fileSize) return log;
    this.#report(log, await repairTail(handle, log, this.#files.torn));
    return await examineLog(handle, file, log);
  }

  /** `start`: a place at or before the event with which the reading begins, as near to it as is known. */
  async #openToRead(from: number): Promise<OpenedLog | undefined> {
    const file = this.#files.log;
    for (let attempt = 0; ; attempt++) {
      const handle = await unless(open(file, 'r'), 'ENOENT');
      if (handle === undefined) return undefined;
      let kept = false;
      try {
        const log = await examineLog(handle, file, this.#known);
        const start = [log, log.base].find(({ version }) => version <= from) ?? beginning;
        this.#known = log;
        // Torn, or being written at this moment: who can take the lock knows.
        const repaired = log.size < log.fileSize && attempt === 0 ? await this.#tryToRepair(log) : 'busy';
        if (repaired === 'repaired') continue;
        kept = true;
        return { handle, log, start, end: repaired === 'unwritable' ? log.tail.wholeEnd : log.size };
      } finally {
        if (!kept) await handle.close();
      }
    }
  }

  async #tryToRepair(log: ExaminedLog): Promise<'repaired' | 'busy' | 'unwritable'> {
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
      // Somebody who is told of a repair cannot undo it, nor stop the append or the read that made it.
    }
  }

  #lostRace(expectedVersion: number | undefined, actualVersion: number): ConcurrencyError {
    return new ConcurrencyError({ conversationId: this.#conversationId, expectedVersion, actualVersion });
  }

  #busy({ holder, isHeld }: LockIsBusy, expectedVersion: number | undefined): ConcurrencyError | ConversationBusyError {
    if (isHeld) return new ConversationBusyError({ conversationId: this.#conversationId, holder });
    const reason = `${holder} has been writing to it for longer than ${this.#settings.lockTimeoutMs} ms`;
    return new ConcurrencyError({ conversationId: this.#conversationId, expectedVersion, reason });
  }

  /** One after another: appends of one store never meet at the lock. */
  #inTurn<T>(action: Action, work: () => Promise<T>): Promise<T> {
    const done = this.#naming(action, this.#lastTurn.then(work));
    this.#lastTurn = done.catch(() => undefined);
    return done;
  }

  /** With the errors of the system as errors of the store. */
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

/** True when exactly these lines stand there. */
async function holds(handle: FileHandle, start: number, { body, last }: AppendLines): Promise<boolean> {
  const bytes = Buffer.concat([body, last]);
  return (await readRange(handle, start, start + bytes.length)).equals(bytes);
}
