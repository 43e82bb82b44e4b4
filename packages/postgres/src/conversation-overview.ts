import type { ConversationRow } from './admin-statements.js';
import { conversationOf } from './statements.js';

/** The overview of a conversation: a fold of its log, kept with each append. */
export interface ConversationOverview {
  readonly conversationId: string;
  /** Unit: events. */
  readonly version: number;
  /** False if a worker of an older version of this package appended: then `rebuild` brings the rest up to date. */
  readonly isCurrent: boolean;
  readonly tenant: string | undefined;
  /** The status in the log; `idle` without one. */
  readonly status: string;
  /** The newest timestamp of an event. */
  readonly activeAt: Date | undefined;
  /** The number of times that the newest run was begun: once, and once more each time that a worker took it over. */
  readonly attempts: number;
  /** The number of actions that wait for a person's yes, with those of the same response that need none. */
  readonly waiting: number;
  /** Unit: tokens. The agent's and the condenser's. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The cost, as the log says it. Unit: USD. */
  readonly costUsd: number;
  /** The size of the log. Unit: bytes. */
  readonly bytes: number;
}

/** A filter of conversations; all of it has to hold. */
export interface ConversationFilter {
  readonly status?: string | readonly string[];
  readonly tenant?: string;
  /** True: those with actions that wait for a person. */
  readonly isWaiting?: true;
  readonly activeBefore?: Date;
  readonly activeSince?: Date;
  /** True: those whose overview is not current. */
  readonly isStale?: true;
}

/** Sums over conversations. */
export interface ConversationTotals {
  readonly conversations: number;
  readonly waiting: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Unit: USD. */
  readonly costUsd: number;
  /** Unit: bytes. */
  readonly bytes: number;
}

/** Returns a filter as the parameters of a statement. */
export function filterOf({
  status,
  tenant,
  isWaiting,
  activeBefore,
  activeSince,
  isStale,
}: ConversationFilter): unknown[] {
  const statuses = typeof status === 'string' ? [status] : (status ?? null);
  return [
    ...[statuses, tenant ?? null, isWaiting === true ? 1 : 0],
    ...[activeBefore?.toISOString() ?? null, activeSince?.toISOString() ?? null, isStale === true ? 1 : 0],
  ];
}

/** Returns the overview of a row. */
export function overviewOf(row: ConversationRow): ConversationOverview {
  return {
    conversationId: conversationOf(row.conversation),
    version: Number(row.version),
    isCurrent: row.version === row.overviewVersion,
    tenant: row.tenant ?? undefined,
    status: row.status,
    activeAt: row.activeAt === null ? undefined : new Date(Number(row.activeAt)),
    attempts: Number(row.attempts),
    waiting: Number(row.waiting),
    inputTokens: Number(row.inputTokens),
    outputTokens: Number(row.outputTokens),
    costUsd: Number(row.costUsd),
    bytes: Number(row.bytes),
  };
}
