import { stat } from 'node:fs/promises';
import { logFiles } from '../import/log-files.js';
import type { SessionProgress } from './replay.js';

/** Estimates how long a replay will take. */
export interface TimeLeft {
  /** The next file is read. */
  atFile(file: string): void;
  /** A session has been replayed. */
  add(session: SessionProgress): void;
  /** Undefined before anything was computed. Unit: milliseconds. */
  estimate(): number | undefined;
}

/**
 * An estimate from the sizes of the files at these paths: what is to come takes as long, by its size, as what was computed.
 *
 * @param now - Unit: milliseconds.
 */
export async function timeLeft(paths: readonly string[], now: () => number): Promise<TimeLeft> {
  const sizes = await fileSizes(paths);
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const startedAt = now();
  let [read, current, asEvents, computed] = [0, 0, 0, 0];
  return {
    atFile: (file) => {
      read += current;
      current = sizes.get(file) ?? 0;
    },
    add: ({ size, wasStored }) => {
      asEvents += size;
      if (!wasStored) computed += size;
    },
    estimate: () => {
      if (computed === 0 || read === 0) return undefined;
      const toCome = Math.max(0, total - read) * (asEvents / read);
      return ((now() - startedAt) / computed) * toCome;
    },
  };
}

/** Files that cannot be looked at have no size here; whoever reads them says why. */
async function fileSizes(paths: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for (const path of paths) {
    try {
      for (const { file, notALog } of (await logFiles(path)).files) {
        if (notALog === undefined) sizes.set(file, await sizeOf(file));
      }
    } catch {
      sizes.set(path, 0);
    }
  }
  return sizes;
}

/** 0 for a session in a database. */
async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch {
    return 0;
  }
}

/** A time for people: `40 s`, `3 min`. */
export function duration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1_000);
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
