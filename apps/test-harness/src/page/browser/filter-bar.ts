import { isLong } from '../../replay/replay-report.js';
import { h, labelledSelect } from './dom.js';
import { firstChoice } from './page-state.js';
import type { Choice, PageState } from './page-state.js';

/** The choice of sessions, prices and policy. */
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
      data.prices.map(({ name, unit }, index) => [`${index}`, unit === 'USD' ? `${name}, USD` : name]),
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
