import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { EventStoreError } from '../errors.js';
import { assertConversationId, assertExpectedVersion, assertReadFrom } from '../event-store.js';
import type { EventStore } from '../event-store.js';
import { parseEvent } from '../parse-event.js';
import { conversationFiles, conversationOfLog } from './conversation-files.js';
import { LogFile } from './log-file.js';
import { assertAtVersion } from './log-writer.js';
import { OpenFiles, unless } from './files.js';
import { warnOfRepair } from './repair.js';
import type { RepairReport } from './repair.js';
import { writerTokens } from './writer-life.js';

/** Options of {@link fileEventStore}. */
export interface FileEventStoreOptions {
  /** The folder of the logs, on a local disk. It is created when the first event is appended. */
  readonly directory: string;
  /**
   * True if events are on the disk (fsync) before an append resolves. Without it they survive the death of the process,
   * but not a power cut. @defaultValue true
   */
  readonly fsync?: boolean;
  /** Called when a torn end of a log is found. Errors that it throws are ignored. @defaultValue emits a process warning */
  readonly onRepair?: (report: RepairReport) => void;
  /**
   * The time for which an append waits for other writers' appends before it fails with {@link ConcurrencyError}. Unit:
   * milliseconds.
   * @defaultValue 10 000
   */
  readonly lockTimeoutMs?: number;
  /**
   * Identifies the machine among those that write to the folder. On one machine the store checks the process of a
   * writer to see whether the writer lives. Set it if copies of a machine share a disk. @defaultValue the host's name,
   * the boot and the process namespace
   */
  readonly machineId?: string;
  /** A monotonic clock, used to observe other writers. Unit: milliseconds. @defaultValue `performance.now` */
  readonly monotonicNow?: () => number;
}

/** An {@link EventStore} that always has `openForWriting`. */
export type FileEventStore = EventStore & Required<Pick<EventStore, 'openForWriting'>>;

/**
 * The maximum number of log files that a store keeps open for writing. More conversations than this can be open for writing.
 */
export const maxOpenFiles = 256;

/**
 * Returns an {@link EventStore} of JSON Lines files: one file per conversation, one event a line, only ever appended
 * to.
 *
 * An append is in the log with all its events or with none. A resolved append survives `kill -9` and, with `fsync`, a power
 * cut. Any number of stores and processes of one machine may write to one conversation: appends happen one after another, and
 * an append that expects another version fails with {@link ConcurrencyError}. A torn end is cut off, kept in a file beside the
 * log, and reported. Reading streams the log in blocks.
 *
 * @throws {@link EventStoreError} when no directory is given, and from its methods when a file cannot be read or written, or holds a line that is no event.
 *
 * @example
 * ```ts
 * const store = fileEventStore({ directory: '.palimpsest/logs' });
 * const log = await EventLog.open('fix-the-test', { store });
 * await log.append(userMessage('Fix the failing test.'));
 * ```
 */
export function fileEventStore(options: FileEventStoreOptions): FileEventStore {
  const directory = directoryOf(options);
  const settings = {
    fsync: options.fsync ?? true,
    lockTimeoutMs: options.lockTimeoutMs ?? 10_000,
    onRepair: options.onRepair ?? warnOfRepair,
    tokens: writerTokens(options.machineId),
    monotonicNow: options.monotonicNow ?? (() => performance.now()),
    openFiles: new OpenFiles(maxOpenFiles),
  };
  const logs = new Map<string, LogFile>();
  const logOf = (conversationId: string): LogFile => {
    assertConversationId(conversationId);
    const log =
      logs.get(conversationId) ?? new LogFile(conversationId, conversationFiles(directory, conversationId), settings);
    logs.set(conversationId, log);
    return log;
  };

  return {
    async append(conversationId, events, { expectedVersion } = {}) {
      const log = logOf(conversationId);
      assertExpectedVersion(expectedVersion);
      const parsed = events.map((event) => parseEvent(event));
      if (parsed.length > 0) return { version: await log.append(parsed, expectedVersion) };
      const version = await log.version();
      assertAtVersion(version, conversationId, expectedVersion);
      return { version };
    },
    async openForWriting(conversationId) {
      return logOf(conversationId).openForWriting();
    },
    read(conversationId, { from = 0, signal } = {}) {
      assertReadFrom(from);
      return logOf(conversationId).read(from, signal);
    },
    async *list() {
      for await (const conversationId of conversationIds(directory)) {
        const version = await logOf(conversationId).version();
        if (version > 0) yield { conversationId, version };
      }
    },
  };
}

async function* conversationIds(directory: string): AsyncGenerator<string, void, undefined> {
  let file = directory;
  try {
    for (const entry of (await unless(readdir(directory, { withFileTypes: true }), 'ENOENT')) ?? []) {
      const found = entry.isFile() || entry.isSymbolicLink() ? conversationOfLog(entry.name) : undefined;
      if (found === undefined) continue;
      if ('conversationId' in found) yield found.conversationId;
      else {
        file = join(directory, found.idFile);
        yield JSON.parse(await readFile(file, 'utf8')) as string;
      }
    }
  } catch (cause) {
    throw new EventStoreError(`Cannot list the logs: '${file}': ${(cause as Error).message}`, { file, cause });
  }
}

/** Options in plain JavaScript may lack the directory, or hold the path alone. */
function directoryOf(options: Partial<FileEventStoreOptions> | null | undefined): string {
  const directory: unknown = options?.directory;
  if (typeof directory === 'string') return resolve(directory);
  throw new EventStoreError("fileEventStore needs the path of a folder for its logs: pass { directory: '…' }.");
}
