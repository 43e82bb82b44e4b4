import { stat } from 'node:fs/promises';
import { printableText } from '@palimpsest/terminal';
import ora from 'ora';
import type { LogFile } from '../import/read-sessions.js';
import type { SessionProgress } from '../replay/replay.js';

/**
 * Progress on stderr, with nothing in it that a terminal obeys: on a terminal one changing line, otherwise a line now
 * and then.
 */
export interface Progress {
  update(text: string): void;
  /** Writes a line that stays. */
  line(text: string): void;
  stop(): void;
}

const millisecondsBetweenUpdates = 80;
const millisecondsBetweenLines = 5_000;

/** Shows the progress of one command. */
export function progress(): Progress {
  const isTerminal = process.stderr.isTTY === true;
  // Progress that nobody reads is no reason to stop.
  process.stderr.on('error', () => undefined);
  // Otherwise the terminal is set to raw, where Ctrl-C is a character that nobody reads.
  const spinner = isTerminal ? ora({ stream: process.stderr, discardStdin: false }).start() : undefined;
  let shownAt = performance.now();
  return {
    update(text) {
      const now = performance.now();
      if (now - shownAt < (isTerminal ? millisecondsBetweenUpdates : millisecondsBetweenLines)) return;
      shownAt = now;
      if (spinner === undefined) process.stderr.write(`${printableText(text)}\n`);
      else {
        spinner.text = printableText(text);
        spinner.render();
      }
    },
    line(text) {
      spinner?.clear();
      process.stderr.write(`${printableText(text)}\n`);
    },
    stop() {
      spinner?.stop();
    },
  };
}

/** An estimate of the time that a replay takes. */
export interface TimeLeft {
  /** The next file is read. */
  atFile(file: string): void;
  /** A session has been replayed. */
  add(session: SessionProgress): void;
  /** Undefined before anything was computed. Unit: milliseconds. */
  estimate(): number | undefined;
}

/**
 * Returns an estimate from the sizes of these files: what is to come takes as long, by its size, as what was computed.
 *
 * @param now - Unit: milliseconds.
 */
export async function timeLeft(files: readonly LogFile[], now: () => number): Promise<TimeLeft> {
  const sizes = new Map<string, number>();
  for (const { file, notALog } of files) if (notALog === undefined) sizes.set(file, await sizeOf(file));
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

/** 0 for a session in a database. */
async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch {
    return 0;
  }
}

/** Formats a time for people: `40 s`, `3 min`. */
export function duration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1_000);
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
