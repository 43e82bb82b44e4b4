import type { Prices } from '../measure/money.js';
import type { ReplayedSession } from '../replay/replayed-session.js';

/** The data that the page of a report shows. It stands in the page as JSON. */
export interface PageData {
  /** The version of the harness. */
  readonly harness: string;
  /** When the page was made, in ISO 8601. */
  readonly createdAt: string;
  /** The unit of all token counts. */
  readonly tokenUnit: string;
  /** True if the sessions are the shipped sample, and not of the person. @defaultValue false */
  readonly isSample?: boolean;
  /** True if the page holds no text of a session. */
  readonly redacted: boolean;
  /** The window that the condensers were told of. Unit: tokens. */
  readonly contextWindow?: number | undefined;
  /** The rows of prices; the first is in USD, and in it a session has its own ({@link ReplayedSession.priced}). */
  readonly prices: readonly Prices[];
  /** The model of the prices of sessions that have none of their own, and why. */
  readonly priced: PricedAs;
  /** Older sessions that were found and left out. */
  readonly older: number;
  /** Files without a session, and why. Empty in a redacted page. */
  readonly skipped: readonly { readonly file: string; readonly reason: string }[];
  readonly skippedFiles: number;
  readonly sessions: readonly ReplayedSession[];
  /** The number of sessions that are left out, because no policy condensed anything in them. */
  readonly uncondensed: number;
  /** The sessions that can be stepped through, the dearest first. */
  readonly timelines: readonly TimelineLink[];
  /** Sessions whose timeline was left out, because the page would be too large with it. */
  readonly trimmed: number;
  /** The page of all sessions, from that of one. */
  readonly index?: string;
}

/** The model of the prices in USD: of all sessions if it is `named`, else of those whose log names no model with known prices. */
export interface PricedAs {
  readonly model: string;
  /** `named` by the user, `recorded` in the sessions, or the `default`. */
  readonly because: 'named' | 'recorded' | 'default';
}

/** The place of the timeline of a session: in this page, or in a page of its own. */
export interface TimelineLink {
  /** The index of the session in the page. */
  readonly session: number;
  readonly href?: string;
}
