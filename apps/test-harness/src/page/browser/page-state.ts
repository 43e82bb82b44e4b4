import { isLong, reportRows } from '../../replay/replay-report.js';
import type { ReplayRow } from '../../replay/replay-report.js';
import { bestPolicy } from '../headline.js';
import type { PageData } from '../page-data.js';

/** What the costs of a policy are compared by. */
export type Axis = 'bill' | 'with-rereads' | 'tokens';

/** What the person has chosen. */
export interface Choice {
  /** A log format; empty for all. */
  readonly format: string;
  readonly length: 'all' | 'long';
  /** The index of the row of prices. */
  readonly price: number;
  /** The index of the policy; chosen by us until the person chooses. */
  readonly policy: number | undefined;
  readonly axis: Axis;
}

/** A choice and what the report says of it. */
export interface PageState extends Choice {
  readonly data: PageData;
  /** The indices of the sessions that the choice leaves. */
  readonly sessions: readonly number[];
  readonly rows: readonly ReplayRow[];
  /** The index of the policy that is compared with doing nothing. */
  readonly shown: number;
  readonly row: ReplayRow | undefined;
}

export const firstChoice: Choice = { format: '', length: 'all', price: 0, policy: undefined, axis: 'bill' };

/** Computes the figures of a choice with the code that makes the tables of `replay`, so both say the same. */
export function pageState(data: PageData, choice: Choice): PageState {
  const sessions = data.sessions.flatMap((session, index) => {
    const fits =
      (choice.format === '' || session.format === choice.format) && (choice.length === 'all' || isLong(session));
    return fits ? [index] : [];
  });
  const rows = reportRows(sessions.flatMap((index) => data.sessions[index] ?? []));
  const best = bestPolicy(rows, choice.price);
  const shown =
    choice.policy ??
    Math.max(
      0,
      rows.findIndex(({ condenser }) => condenser === best),
    );
  return { ...choice, data, sessions, rows, shown, row: rows[shown] };
}
