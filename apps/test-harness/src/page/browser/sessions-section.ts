import { condensedSessions } from '../../replay/report.js';
import { countText, figure, h, moneyText, percentText, wideTable } from './dom.js';
import type { PageState } from './page-state.js';

const rowsAtFirst = 20;

/** Lists the sessions, the dearest first, with the way to their timelines. */
export function sessionsSection(state: PageState, showAll: boolean, onShowAll: () => void): HTMLElement {
  const { data, price, shown } = state;
  // With re-reads in the loop, as in the sentence above.
  const bill = (index: number, policy: number): number => {
    const replay = data.sessions[index]?.replays[policy];
    const inLoop = replay?.loops.find(({ need }) => need === 'evidence')?.costs[price];
    return inLoop ?? replay?.bills[price]?.input ?? 0;
  };
  const dearest = [...state.sessions].sort((one, other) => bill(other, 0) - bill(one, 0));
  const listed = showAll ? dearest : dearest.slice(0, rowsAtFirst);
  const policy = state.row?.condenser ?? '';
  return h(
    'section',
    { 'aria-labelledby': 'sessions' },
    h('h2', { id: 'sessions' }, 'The sessions, the dearest first'),
    data.timelines.length > 0 &&
      h(
        'p',
        { class: 'note' },
        `${data.timelines.length} of them can be stepped through call by call.`,
        data.trimmed > 0 && ` ${data.trimmed} more would make the page too large; report --all writes a page for each.`,
      ),
    wideTable(
      'Table of the sessions',
      {},
      [
        'session',
        'agent',
        'calls',
        'bill',
        `with ${policy}`,
        'saved with re-reads',
        'still in view',
        'condensations',
      ].map((name) => h('th', { scope: 'col' }, name)),
      listed.map((index) => sessionRow(state, index, { none: bill(index, 0), own: bill(index, shown) })),
    ),
    !showAll &&
      dearest.length > rowsAtFirst &&
      h('button', { type: 'button', class: 'more', onclick: onShowAll }, `Show all ${dearest.length}`),
  );
}

function sessionRow(
  { data, price, shown }: PageState,
  index: number,
  bill: { readonly none: number; readonly own: number },
): HTMLElement {
  const session = data.sessions[index];
  const replay = session?.replays[shown];
  const prices = data.prices[price];
  if (session === undefined || replay === undefined || prices === undefined) return h('tr');
  const timeline = data.timelines.find((link) => link.session === index);
  const name =
    timeline === undefined
      ? h('span', { class: 'name' }, session.name)
      : h('a', { class: 'name', href: timeline.href ?? `#session-${index}` }, session.name);
  const saved = bill.none === 0 ? 0 : 1 - bill.own / bill.none;
  const { part, whole } = replay.memory.all;
  const money = (value: number): string => moneyText(value, prices);
  return h(
    'tr',
    {},
    h(
      'th',
      { scope: 'row' },
      name,
      session.recordedCompactions > 0 &&
        h('span', { class: 'tag', title: 'the recording agent compacted its history' }, 'compacted'),
    ),
    h('td', {}, session.format),
    h('td', {}, figure(replay.modelCalls, countText)),
    h('td', {}, figure(bill.none, money)),
    ...(condensedSessions([session]).length === 0
      ? [h('td', { colspan: 4, class: 'nothing' }, 'nothing to condense')]
      : [
          h('td', {}, figure(bill.own, money)),
          h('td', {}, figure(saved, percentText)),
          h('td', {}, figure(whole === 0 ? undefined : part / whole, percentText)),
          h('td', {}, figure(replay.condensations, countText)),
        ]),
  );
}
