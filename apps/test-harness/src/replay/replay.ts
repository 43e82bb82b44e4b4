import type { Condenser } from '@palimpsest/view';
import { readSessions } from '../import/index.js';
import type { SkippedFile } from '../import/index.js';
import { findRefusals } from './refusals.js';
import type { ReplayedSession } from './replay-report.js';
import { replaySession } from './replay-session.js';
import type { SessionReplay } from './replay-session.js';
import { tokenCounter } from './token-counter.js';

/** Options of {@link replayPath}. */
export interface ReplayPathOptions {
  /** In the order of the table; the first is the measure of what the others save. */
  readonly condensers: readonly Condenser[];
  /** The window that condensers are told of. Unit: tokens. @defaultValue none */
  readonly contextWindow?: number;
  /** Called with the present state, often. */
  readonly onProgress?: (text: string) => void;
  /** Called for each file without a session, after all files are read. */
  readonly onSkipped?: (file: SkippedFile) => void;
}

/**
 * Replays every session of a file or folder through every condenser, one session at a time.
 *
 * @throws {@link UnknownLogFormatError} when `path` is a file of no known format.
 * @throws {@link LogReadError} when `path` cannot be read.
 */
export async function* replayPath(path: string, options: ReplayPathOptions): AsyncGenerator<ReplayedSession> {
  const { condensers, contextWindow, onProgress } = options;
  const sessions = readSessions(path, {
    onFile: ({ file, index, count }) => onProgress?.(`reading ${file} (${index + 1} of ${count})`),
  });
  for await (const session of sessions) {
    const countTokens = tokenCounter();
    const replays: SessionReplay[] = [];
    for (const condenser of condensers) {
      replays.push(
        await replaySession(session.events, condenser, {
          countTokens,
          findRefusals,
          contextWindow,
          onModelCall: (done, of) =>
            onProgress?.(`${session.name}: ${condenser.name}, model call ${done + 1} of ${of}`),
        }),
      );
    }
    const { name, file, format, notes } = session;
    yield { name, file, format, notes, events: session.events.length, replays };
  }
  for (const file of sessions.skipped) options.onSkipped?.(file);
}
