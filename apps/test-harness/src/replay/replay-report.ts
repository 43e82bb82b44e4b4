import type { ImportNote, Session } from '../import/index.js';
import type { SessionReplay } from './replay-session.js';

/** One session and what each condenser made of it. */
export interface ReplayedSession {
  readonly name: string;
  readonly file: string;
  readonly format: string;
  readonly events: number;
  readonly notes: readonly ImportNote[];
  readonly replays: readonly SessionReplay[];
}

/** One row of the table: one condenser over all sessions. Unit of the token counts: that of the counter. */
export interface ReplayRow {
  readonly condenser: string;
  readonly sessions: number;
  readonly modelCalls: number;
  readonly tokensSent: number;
  /** The size of the largest message list. */
  readonly peakTokens: number;
  /** Events in the views of the last model calls, summed over the sessions. */
  readonly eventsInViewAtEnd: number;
  readonly condensations: number;
  readonly prefixRewrites: number;
  /** The saved share of the tokens that `none` sends: 0 to 1, negative if this condenser sends more. */
  readonly savedShare: number;
  readonly refusedLists: number;
  readonly condenserErrors: number;
  readonly millisecondsPerCall: number;
}

/** Sums the replays of each condenser, in the order in which they ran. Savings are relative to the first. */
export function reportRows(sessions: readonly ReplayedSession[]): readonly ReplayRow[] {
  const byCondenser = new Map<string, SessionReplay[]>();
  for (const { replays } of sessions) {
    for (const replay of replays) {
      const others = byCondenser.get(replay.condenser);
      if (others === undefined) byCondenser.set(replay.condenser, [replay]);
      else others.push(replay);
    }
  }
  const none = [...byCondenser.values()][0] ?? [];
  const tokensOfNone = sum(none, ({ tokensSent }) => tokensSent);
  return [...byCondenser].map(([condenser, replays]) => {
    const tokensSent = sum(replays, (replay) => replay.tokensSent);
    const modelCalls = sum(replays, (replay) => replay.modelCalls);
    return {
      condenser,
      sessions: replays.length,
      modelCalls,
      tokensSent,
      peakTokens: Math.max(0, ...replays.map((replay) => replay.peakTokens)),
      eventsInViewAtEnd: sum(replays, (replay) => replay.eventsInViewAtEnd),
      condensations: sum(replays, (replay) => replay.condensations),
      prefixRewrites: sum(replays, (replay) => replay.prefixRewrites),
      savedShare: tokensOfNone === 0 ? 0 : 1 - tokensSent / tokensOfNone,
      refusedLists: sum(replays, (replay) => replay.refusedLists),
      condenserErrors: sum(replays, (replay) => replay.condenserErrors.length),
      millisecondsPerCall: modelCalls === 0 ? 0 : sum(replays, (replay) => replay.milliseconds) / modelCalls,
    };
  });
}

/** How often each kind of note was taken while the sessions were read. */
export function noteCounts(sessions: readonly Pick<Session, 'notes'>[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { notes } of sessions) {
    for (const { kind, count } of notes) counts.set(kind, (counts.get(kind) ?? 0) + count);
  }
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
