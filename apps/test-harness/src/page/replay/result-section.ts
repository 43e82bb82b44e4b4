import { recommendedPolicy } from '../../replay/report.js';
import type { ReplayRow } from '../../replay/report.js';
import { figure, h, percentText, wideTable } from '../browser/dom.js';
import type { Choice, PageState } from '../browser/page-state.js';

/** The one table: what each policy saves and forgets. The name of a policy chooses it. */
export function resultTable(state: PageState, choose: (choice: Partial<Choice>) => void): HTMLElement {
  const { rows, shown, price } = state;
  const heads = ['policy', 'saved with re-reads', 'worst session', 'forgotten'];
  return h(
    'section',
    { 'aria-labelledby': 'result' },
    h('h2', { id: 'result' }, 'What each policy saves and forgets'),
    wideTable(
      'Table of what each policy saves and forgets',
      { id: 'results' },
      heads.map((name) => h('th', { scope: 'col' }, name)),
      rows.map((row, index) => {
        const name = h(
          'button',
          {
            type: 'button',
            class: 'policy-name',
            'aria-pressed': `${index === shown}`,
            onclick: () => choose({ policy: index }),
          },
          row.condenser,
        );
        return h(
          'tr',
          { class: index === shown && 'shown' },
          h(
            'th',
            { scope: 'row' },
            name,
            row.condenser === recommendedPolicy && h('span', { class: 'tag' }, 'recommended'),
          ),
          ...figuresOf(row, price).map((cell) => h('td', {}, cell)),
        );
      }),
    ),
    h(
      'p',
      { class: 'note' },
      'Saved of the bill of the input. What a call needs and no longer sees is read again before it, and that is paid. ' +
        'Forgotten: of what later calls used from old results, the share that was not in view. ' +
        'Below 0 % a policy costs more than doing nothing.',
    ),
  );
}

/** Returns what a policy saves with re-reads in the loop, in its worst session, and what it forgets. */
export function figuresOf(row: ReplayRow, price: number): readonly HTMLElement[] {
  const loop = row.savings[price]?.inLoop.evidence;
  const asksModel = row.summariserCalls.inputTokens > 0;
  return [
    figure(loop?.pooled, percentText),
    figure(loop?.worst, percentText),
    // The stand-in's summaries have no content, so a real model's forget at most as much.
    figure(1 - row.recall, (share) => `${asksModel ? '≤ ' : ''}${percentText(share)}`),
  ];
}
