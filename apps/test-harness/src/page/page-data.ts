import type { EventKind } from '../measure/recorded-session.js';
import type { Prices } from '../measure/money.js';
import type { ReplayedSession } from '../replay/replay-report.js';

/** What the page of a report shows. It stands in the page as JSON. */
export interface PageData {
  /** The version of the harness. */
  readonly harness: string;
  /** When the page was made, in ISO 8601. */
  readonly createdAt: string;
  /** The unit of all token counts. */
  readonly tokenUnit: string;
  /** True if the page holds no text of a session. */
  readonly redacted: boolean;
  /** The window that the condensers were told of. Unit: tokens. */
  readonly contextWindow?: number | undefined;
  /** The rows of prices; the first is in USD. */
  readonly prices: readonly Prices[];
  /** Why the sessions are priced as this model's. */
  readonly priced: PricedAs;
  /** Older sessions that were found and left out. */
  readonly older: number;
  /** Files without a session, and why. Empty in a redacted page. */
  readonly skipped: readonly { readonly file: string; readonly reason: string }[];
  readonly skippedFiles: number;
  readonly sessions: readonly ReplayedSession[];
  /** The sessions that can be stepped through, the dearest first. */
  readonly timelines: readonly TimelineLink[];
  /** Sessions whose timeline was left out, because the page would be too large with it. */
  readonly trimmed: number;
  /** The page of all sessions, from that of one. */
  readonly index?: string;
}

/** The model of the prices in USD. */
export interface PricedAs {
  readonly model: string;
  /** `named` by the user, `recorded` in the sessions, or the `default`. */
  readonly because: 'named' | 'recorded' | 'default';
  /** The share of the recorded model calls that the model made. Present if it is `recorded`. */
  readonly share?: number;
}

/** Where the timeline of a session is: in this page, or in a page of its own. */
export interface TimelineLink {
  /** The index of the session in the page. */
  readonly session: number;
  readonly href?: string;
}

/** A session call by call, with each condenser: every text once, views as ids. The id of an item is its index. */
export interface SessionTimeline {
  /** Each text that an item shows, once. Empty in a redacted page. */
  readonly texts: readonly string[];
  /** The events that a model reads in the order of the log; after them the stubs and summaries that condensers made. */
  readonly items: readonly TimelineItem[];
  /** The number of items that are events of the log. */
  readonly logged: number;
  /** By model call: how many events of the log stand before it. */
  readonly calls: readonly number[];
  readonly policies: readonly PolicyTimeline[];
}

/** The kinds of items: those of events, and what condensers put in the place of events. */
export type ItemKind = Exclude<EventKind, 'internal'> | 'stub' | 'summary';

/** Something that a model reads as one: a message, a call, a result, a stub, a summary. */
export interface TimelineItem {
  readonly kind: ItemKind;
  /** The model call whose answer, or results, the item belongs to; -1 before the first. */
  readonly step: number;
  readonly tokens: number;
  /** The index of the text. Absent in a redacted page. */
  readonly text?: number;
  /** The name of the tool of a call or a result. */
  readonly tool?: string;
  readonly isError?: true;
  /** Of a stub: the item in whose place it stands. */
  readonly of?: number;
}

/** A run of neighbouring items, both ends included, or one item. */
export type ItemRun = number | readonly [from: number, to: number];

/** What one condenser made of the session. */
export interface PolicyTimeline {
  readonly policy: string;
  /** By model call: the size of the request, and how much of it the cache holds. Unit: tokens. */
  readonly tokens: readonly number[];
  readonly cached: readonly number[];
  /** By model call: how many items at the beginning of the view are those of the call before; what follows them. */
  readonly views: readonly (readonly [same: number, ...added: readonly ItemRun[]])[];
  readonly condensations: readonly TimelineCondensation[];
  /** Old items that a call took something from and that it was not shown. */
  readonly faults: readonly { readonly call: number; readonly item: number; readonly kinds: readonly string[] }[];
  readonly errors: readonly { readonly call: number; readonly message: string }[];
}

/** A condensation that was made before a model call, and why. */
export interface TimelineCondensation {
  readonly call: number;
  readonly condenser: string;
  /** Absent if the condenser does not say. */
  readonly reason?: string;
  readonly stage?: string;
  readonly forgotten: number;
  readonly masked: number;
  /** By the condenser's estimate. Unit: tokens. */
  readonly tokensBefore?: number;
  readonly tokensAfter?: number;
}
