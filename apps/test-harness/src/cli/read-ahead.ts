import { PalimpsestError } from '@palimpsest/events';
import { readSessions } from '../import/index.js';
import type { SkippedFile } from '../import/index.js';
import { callsByModel } from '../page/priced-as.js';
import type { Progress } from './progress.js';

/** Options of {@link readAhead}. */
interface ReadAheadOptions {
  /** The paths were found, not named: one that cannot be read is skipped. */
  readonly isFound: boolean;
  readonly shown: Progress;
  /** Ends the reading early. */
  readonly signal: AbortSignal;
}

/** The facts about sessions that are known before they are replayed. */
export interface ReadAhead {
  /** The recorded model calls by model. */
  readonly calls: ReadonlyMap<string, number>;
  /** The number of sessions. */
  readonly count: number;
  readonly readable: readonly string[];
  /** The files without a session, with the reason. */
  readonly skipped: readonly SkippedFile[];
}

/** Reads all sessions once, for the model whose prices count and for the files without a session. */
export async function readAhead(
  paths: readonly string[],
  { isFound, shown, signal }: ReadAheadOptions,
): Promise<ReadAhead> {
  const calls = new Map<string, number>();
  const [readable, unreadable, skipped]: [string[], SkippedFile[], SkippedFile[]] = [[], [], []];
  let count = 0;
  for (const path of paths) {
    if (signal.aborted) break;
    try {
      const reader = readSessions(path);
      for await (const { events } of reader) {
        for (const [model, count] of callsByModel(events)) calls.set(model, (calls.get(model) ?? 0) + count);
        count++;
      }
      readable.push(path);
      skipped.push(...reader.skipped);
    } catch (error) {
      // A path that was found and not named is skipped.
      if (!isFound || !PalimpsestError.isInstance(error)) throw error;
      unreadable.push({ file: path, reason: error.message, notes: [] });
    }
    shown.update(`reading ${path}`);
  }
  return { calls, count, readable, skipped: [...unreadable, ...skipped] };
}
