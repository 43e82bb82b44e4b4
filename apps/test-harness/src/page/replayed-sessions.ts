import { PalimpsestError } from '@palimpsest/events';
import { readSessions } from '../import/index.js';
import type { Session, SkippedFile } from '../import/index.js';
import { priceRows, pricesOfModel } from '../measure/money.js';
import type { Prices } from '../measure/money.js';
import { UnknownModelError } from '../measure/unknown-model-error.js';
import type { Progress } from '../progress.js';
import type { Policy } from '../replay/policy.js';
import type { ReplayedSession } from '../replay/replay-report.js';
import { defaultCacheFolder } from '../replay/cache-folder.js';
import { defaultWorkers, replayPaths } from '../replay/replay.js';
import { tokenUnit } from '../replay/token-unit.js';
import type { PricedAs } from './page-data.js';
import { RecordedModels } from './priced-as.js';

/** Options of {@link replayedSessions}. */
export interface ReplayedSessionsOptions {
  readonly policies: readonly Policy[];
  readonly contextWindow?: number | undefined;
  /** How many threads. 0: none but this one. @defaultValue {@link defaultWorkers} */
  readonly workers?: number | undefined;
  /** False: nothing is stored, and nothing that was stored is used. @defaultValue true */
  readonly cache?: boolean | undefined;
  /** The model that the user names. */
  readonly model?: string | undefined;
  /** The paths were found and not named, so one that cannot be read is skipped. */
  readonly isFound: boolean;
  readonly progress: Progress;
}

/** The figures of a report. */
export interface ReplayedSessions {
  readonly tokenUnit: string;
  readonly prices: readonly Prices[];
  readonly priced: PricedAs;
  readonly sessions: readonly ReplayedSession[];
  readonly skipped: readonly { readonly file: string; readonly reason: string }[];
}

/** Replays all sessions at the paths, priced as the model that most of them were recorded with. */
export async function replayedSessions(
  paths: readonly string[],
  {
    policies,
    contextWindow,
    workers = defaultWorkers(),
    cache = true,
    model,
    isFound,
    progress,
  }: ReplayedSessionsOptions,
): Promise<ReplayedSessions> {
  const today = new Date();
  const skipped: SkippedFile[] = [];
  const models = new RecordedModels();
  const readable: string[] = [];
  let read = 0;
  for (const path of paths) {
    try {
      for await (const { events } of readSessions(path)) {
        models.add(events);
        read++;
      }
      readable.push(path);
    } catch (error) {
      if (!isFound || !PalimpsestError.isInstance(error)) throw error;
      skipped.push({ file: path, reason: error.message, notes: [] });
    }
    progress.update(`reading ${path}`);
  }
  const priced = models.pricedAs(model, today);
  const dollars = pricesOfModel(priced.model, today);
  if (dollars === undefined) throw new UnknownModelError(priced.model);
  const prices = [dollars, ...priceRows];
  let done = 0;
  const run = replayPaths(readable, {
    policies,
    prices,
    contextWindow,
    workers,
    cacheFolder: cache ? defaultCacheFolder() : undefined,
    onSession: ({ name }) => progress.update(`replayed ${++done} of ${read} sessions: ${name}`),
  });
  const sessions: ReplayedSession[] = [];
  for await (const session of run) sessions.push(session);
  skipped.push(...run.skipped);
  return {
    tokenUnit,
    prices,
    priced,
    sessions: sessions.map(withoutDetails),
    skipped: skipped.map(({ file, reason }) => ({ file, reason })),
  };
}

/** What is listed by call stands in the timelines, and notes are not quoted. */
function withoutDetails(session: ReplayedSession): ReplayedSession {
  const byCall = { tokensByCall: [], condensedAt: [], rewrittenAt: [] };
  return {
    ...session,
    notes: session.notes.map((note) => ({ ...note, message: '' })),
    replays: session.replays.map((replay) => ({ ...replay, ...byCall })),
  };
}

/** Reads a session again. The sessions of a file have one order, so its place among them names it. */
export async function sessionAgain(sessions: readonly ReplayedSession[], index: number): Promise<Session | undefined> {
  const file = sessions[index]?.file ?? '';
  let before = sessions.slice(0, index).filter((session) => session.file === file).length;
  for await (const session of readSessions(file)) if (before-- === 0) return session;
  return undefined;
}
