import { bestPolicy, condensedSessions, isLong, reportRows } from '../../replay/report.js';
import type { ReplayRow } from '../../replay/report.js';
import type { PageData } from '../page-data.js';
import { h, labelledSelect } from './dom.js';

/** The measure by which the costs of policies are compared. */
export type Axis = 'bill' | 'with-rereads' | 'tokens';

/** The choices of the person. */
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
  /** True if no policy condensed anything in these sessions, so that every figure would be 0 or 100 %. */
  readonly isUncondensed: boolean;
  /** The index of the policy that is compared with doing nothing. */
  readonly shown: number;
  readonly row: ReplayRow | undefined;
}

export const firstChoice: Choice = { format: '', length: 'all', price: 0, policy: undefined, axis: 'with-rereads' };

/** Computes the figures of a choice with the code that makes the tables of `replay`, so both say the same. */
export function pageState(data: PageData, choice: Choice): PageState {
  const sessions = data.sessions.flatMap((session, index) => {
    const fits =
      (choice.format === '' || session.format === choice.format) && (choice.length === 'all' || isLong(session));
    return fits ? [index] : [];
  });
  const chosen = sessions.flatMap((index) => data.sessions[index] ?? []);
  const rows = reportRows(chosen);
  const isUncondensed = condensedSessions(chosen).length === 0;
  const best = bestPolicy(rows, choice.price);
  const shown =
    choice.policy ??
    Math.max(
      0,
      rows.findIndex(({ condenser }) => condenser === best),
    );
  return { ...choice, data, sessions, rows, isUncondensed, shown, row: rows[shown] };
}

/** Names the prices in USD: of one model, or of each session's own. */
function dollarsText({ sessions, priced }: PageData): string {
  const models = new Set(sessions.map((session) => session.priced?.prices.name ?? priced.model));
  return models.size > 1 ? 'USD, each session’s model' : `USD, ${[...models][0] ?? priced.model}`;
}

/** Returns the choice of sessions, prices and policy. */
export function filterBar({ data, rows, ...state }: PageState, choose: (choice: Partial<Choice>) => void): HTMLElement {
  const formats = [...new Set(data.sessions.map(({ format }) => format))].sort();
  const long = data.sessions.filter(isLong).length;
  const policies = data.sessions[0]?.replays.map(({ condenser }) => condenser) ?? [];
  return h(
    'form',
    { class: 'filters', 'aria-label': 'What the report shows', onsubmit: (event: Event) => event.preventDefault() },
    labelledSelect(
      'Policy',
      policies.map((policy, index) => [`${index}`, policy]),
      `${state.shown}`,
      (value) => choose({ policy: Number(value) }),
    ),
    labelledSelect(
      'Prices',
      data.prices.map(({ name, unit }, index) => [`${index}`, unit === 'USD' ? dollarsText(data) : name]),
      `${state.price}`,
      (value) => choose({ price: Number(value) }),
    ),
    labelledSelect(
      'Agent',
      [['', `all (${data.sessions.length})`], ...formats.map((format): [string, string] => [format, format])],
      state.format,
      (format) => choose({ format }),
    ),
    labelledSelect(
      'Length',
      [
        ['all', 'all sessions'],
        ['long', `long (${long}): ≥ 150 calls, 60 k tokens`],
      ],
      state.length,
      (value) => choose({ length: value === 'long' ? 'long' : 'all' }),
    ),
    h('button', { type: 'button', onclick: () => choose(firstChoice) }, 'Reset'),
    rows.length === 0 && h('span', { role: 'status' }, 'No session is left.'),
  );
}
