// What replays the text of a log without Node: the entry of the page in a browser. A test bundles it and finds no `node:*`.
import { digestCondenser, pricedCondenser } from '@palimpsest/condensers';
import type { DigestOptions } from '@palimpsest/condensers';
import { openLogText } from '../import/log-source.js';
import type { LogText } from '../import/log-source.js';
import { sessionsInLog } from '../import/sessions-in-log.js';
import type { Session, SkippedFile } from '../import/log/session.js';
import type { Prices } from '../measure/money.js';
import { namedCreator } from './named-policy.js';
import type { Policy } from './named-policy.js';
import { replayedSession } from './replayed-session.js';
import type { ReplayedSession, SessionPrices } from './replayed-session.js';
import { sessionReplayer } from './session-replayer.js';
import type { SessionReplay } from './task.js';
import type { SessionTimeline } from './timeline.js';

/** The sessions in the text of a log, or the reason why there is none. */
export interface TextSessions {
  readonly sessions: readonly Session[];
  readonly skipped: readonly SkippedFile[];
}

/**
 * Reads the sessions in the text of a log.
 *
 * @throws {@link HarnessError} `unknown-log-format` when it has no known format; {@link HarnessError} `log-read` when it cannot be read.
 */
export async function sessionsOfText(log: LogText): Promise<TextSessions> {
  const name = log.file.split(/[\\/]/).at(-1) ?? log.file;
  const [sessions, skipped]: [Session[], SkippedFile[]] = [[], []];
  for await (const session of sessionsInLog(await openLogText(log, { name }), skipped)) sessions.push(session);
  return { sessions, skipped };
}

/** The sizes of `priced` that a person chooses. Unit: tokens. */
export type PricedSizes = Pick<Required<DigestOptions>, 'targetTokens' | 'maxLineTokens'>;

/** Returns the policy of a name: none, one of ours with its defaults, or a rival. */
export function namedPolicy(name: string): Policy {
  return { name, create: namedCreator(name) };
}

/** Returns `priced` as its preset `balanced` makes it, with other sizes. */
export function pricedPolicy(sizes: PricedSizes): Policy {
  const create: Policy['create'] = () =>
    pricedCondenser({ stages: [digestCondenser({ maxSize: Number.MAX_SAFE_INTEGER, keepFirst: 1, ...sizes })] });
  return { name: 'priced', create };
}

/** Options of {@link replayOfSession}. */
export interface TextReplayOptions {
  /** In the order of the table; savings are relative to the first. */
  readonly policies: readonly Policy[];
  readonly prices: readonly Prices[];
  /** The prices in USD of the session, whose row stands before the others. @defaultValue none */
  readonly priced?: SessionPrices;
  /** @defaultValue false */
  readonly withTimeline?: boolean;
  /** Called before each policy. */
  readonly onPolicy?: (policy: string) => void;
}

/** Replays a session through every policy, with a stand-in for the model that condensers ask. */
export async function replayOfSession(
  session: Session,
  { policies, prices, priced, withTimeline = false, onPolicy }: TextReplayOptions,
): Promise<{ readonly replayed: ReplayedSession; readonly timeline?: SessionTimeline }> {
  const rows = priced === undefined ? prices : [priced.prices, ...prices];
  const replayer = sessionReplayer(session.events, { prices: rows, withTimeline });
  const replays: SessionReplay[] = [];
  for (const policy of policies) {
    onPolicy?.(policy.name);
    replays.push(await replayer.replay(policy));
  }
  return {
    replayed: replayedSession(session, { measures: replayer.measures(), replays }, priced),
    ...(withTimeline && { timeline: replayer.timeline() }),
  };
}
