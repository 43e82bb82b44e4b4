import { readSessions } from '../import/index.js';
import type { Session, SkippedFile } from '../import/index.js';
import { controlsOf } from '../measure/controls.js';
import { eventTokens } from '../measure/event-tokens.js';
import { evidenceOf } from '../measure/evidence/evidence.js';
import { priceRows } from '../measure/money.js';
import type { Prices } from '../measure/money.js';
import { costUncondensed, leastCost, sizesByCall } from '../measure/optimum.js';
import { recordedSession } from '../measure/recorded-session.js';
import type { Policy } from './policy.js';
import { findRefusals } from './refusals.js';
import type { ReplayedSession } from './replay-report.js';
import { headOf, replaySession } from './replay-session.js';
import type { SessionReplay } from './replay-session.js';
import { textCounter } from './token-counter.js';

/** Options of {@link replayPath}. */
export interface ReplayPathOptions {
  /** In the order of the table; savings are relative to the first. */
  readonly policies: readonly Policy[];
  /** @defaultValue {@link priceRows} */
  readonly prices?: readonly Prices[];
  /** The window that condensers are told of. Unit: tokens. @defaultValue none */
  readonly contextWindow?: number;
  /** Called with the present state, often. */
  readonly onProgress?: (text: string) => void;
  /** Called for each file without a session, after all files are read. */
  readonly onSkipped?: (file: SkippedFile) => void;
}

/** To how many tokens the optimum drops a history. */
const optimumTarget = 15_000;

/**
 * Replays every session of a file or folder through every condenser, one session at a time.
 *
 * @throws {@link UnknownLogFormatError} when `path` is a file of no known format.
 * @throws {@link LogReadError} when `path` cannot be read.
 */
export async function* replayPath(path: string, options: ReplayPathOptions): AsyncGenerator<ReplayedSession> {
  const sessions = readSessions(path, {
    onFile: ({ file, index, count }) => options.onProgress?.(`reading ${file} (${index + 1} of ${count})`),
  });
  for await (const session of sessions) yield await replayOne(session, options);
  for (const file of sessions.skipped) options.onSkipped?.(file);
}

async function replayOne(logged: Session, options: ReplayPathOptions): Promise<ReplayedSession> {
  const { policies, prices = priceRows, onProgress } = options;
  const session = recordedSession(logged.events);
  const count = textCounter();
  const evidence = evidenceOf(session);
  const replays: SessionReplay[] = [];
  for (const policy of policies) {
    const onModelCall = (done: number, of: number): void =>
      onProgress?.(`${logged.name}: ${policy.name}, model call ${done + 1} of ${of}`);
    replays.push(
      await replaySession(policy, { ...options, session, evidence, count, prices, findRefusals, onModelCall }),
    );
  }
  const tokens = eventTokens(session, count);
  const sizes = sizesByCall(session, tokens, headOf(session));
  const { name, file, format, notes } = logged;
  return {
    name,
    file,
    format,
    notes,
    events: logged.events.length,
    wasCompacted: notes.some(({ kind }) => kind === 'recorded-compaction'),
    controls: controlsOf(session, evidence, tokens, headOf(session)),
    optima: prices.map((row) => ({
      prices: row.name,
      uncondensed: costUncondensed(sizes, row),
      least: leastCost(sizes, optimumTarget, row),
    })),
    replays,
  };
}
