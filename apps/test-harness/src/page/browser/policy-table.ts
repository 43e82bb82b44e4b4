import { recommendedPolicy } from '../../replay/report.js';
import type { ReplayRow } from '../../replay/report.js';
import { billWithRereads } from '../../replay/savings.js';
import { compactText, countText, figure, h, moneyText, percentText, ratioText, wideTable } from './dom.js';
import type { Choice, PageState } from './page-state.js';

/** Columns that paper has no room for. */
const minorNames = new Set([
  'of optimum',
  'cost of timing',
  'paths, names',
  'lines to edit',
  'numbers',
  'only abridged',
  'rewrites',
  'largest',
  'overflows',
]);

/** A column of the table: its name, what it means, and its figure of a policy. */
interface Column {
  readonly name: string;
  readonly title: string;
  readonly cell: (row: ReplayRow) => HTMLElement;
}

type FigureOf = (row: ReplayRow) => number | undefined;

/** Shows all figures of all policies. The name of a policy chooses it. */
export function policyTable(state: PageState, choose: (choice: Partial<Choice>) => void): HTMLElement {
  const columns = columnsOf(state);
  return wideTable(
    'Table of the policies',
    { id: 'policies' },
    [
      h('th', { scope: 'col' }, 'policy'),
      ...columns.map(({ name, title }) =>
        h('th', { scope: 'col', title, class: minorNames.has(name) && 'minor' }, name),
      ),
    ],
    state.rows.map((row, index) => tableRow(row, index, columns, state.shown === index, choose)),
  );
}

function tableRow(
  row: ReplayRow,
  index: number,
  columns: readonly Column[],
  isShown: boolean,
  choose: (choice: Partial<Choice>) => void,
): HTMLElement {
  const name = h(
    'button',
    { type: 'button', class: 'policy-name', 'aria-pressed': `${isShown}`, onclick: () => choose({ policy: index }) },
    h('span', { class: `dot dot-${index % 9}` }, index),
    row.condenser,
  );
  return h(
    'tr',
    { class: isShown ? 'shown' : undefined },
    h('th', { scope: 'row' }, name, row.condenser === recommendedPolicy && h('span', { class: 'tag' }, 'recommended')),
    ...columns.map(({ name, cell }) => h('td', { class: minorNames.has(name) && 'minor' }, cell(row))),
  );
}

function columnsOf({ price, data }: PageState): readonly Column[] {
  const prices = data.prices[price] ?? {};
  const column =
    (text: (value: number) => string) =>
    (name: string, title: string, of: FigureOf): Column => ({
      name,
      title,
      cell: (row) => figure(of(row), text),
    });
  const [share, count, ratio] = [column(percentText), column(countText), column(ratioText)];
  const recall = (name: string, title: string, of: FigureOf): Column => ({
    name,
    title,
    // The stand-in's summaries have no content, so a real model's remember at least as much.
    cell: (row) =>
      figure(of(row), (value) => `${row.summariserCalls.inputTokens > 0 ? '≥ ' : ''}${percentText(value)}`),
  });
  return [
    share(
      'saved with re-reads',
      'of the bill of doing nothing, if what a call needs and does not see is read again before it',
      (row) => row.savings[price]?.inLoop.evidence?.pooled,
    ),
    share(
      'worst session',
      'what the session saves that saves least, with re-reads',
      (row) => row.savings[price]?.inLoop.evidence?.worst,
    ),
    column((value) => moneyText(value, prices))(
      'bill',
      'of the input, with what is read again and the calls of the condenser’s own model',
      ({ savings }) => savings[price] && billWithRereads(savings[price]),
    ),
    share('without re-reads', 'saved if nothing is read again', (row) => row.savings[price]?.pooled),
    share(
      'worst',
      'what the session saves that saves least, if nothing is read again',
      (row) => row.savings[price]?.worst,
    ),
    ratio('of optimum', 'the share of what the best possible drops save', (row) => row.savings[price]?.captured),
    share(
      'cost of timing',
      'what acting at other calls than the best ones costs, whatever is left, on average',
      (row) => row.savings[price]?.regret.mean,
    ),
    count(
      'dearer',
      'sessions that cost more than 2 % more than with nothing condensed',
      (row) => row.savings[price]?.dearer ?? 0,
    ),
    recall(
      'still in view',
      'the share of what later calls took from old results that was in view',
      (row) => row.recall,
    ),
    recall('paths, names', 'still in view, of paths, names and ids', (row) => row.recallByKind.identifier),
    recall('lines to edit', 'still in view, of lines that an edit must quote', (row) => row.recallByKind.anchor),
    recall('numbers', 'still in view, of numbers', (row) => row.recallByKind.number),
    share('only abridged', 'the part that only masks and summaries show', (row) => row.recallInStubs),
    ratio('gain', '0: as the newest events at this size; 1: as one who knows the future', (row) => row.normalisedGain),
    column((value) => value.toFixed(1))(
      'missed / 100',
      'old results that 100 calls needed and did not see',
      (row) => row.faultsPerHundredCalls,
    ),
    share('tokens sent', 'sent, as a share of those of doing nothing', (row) => row.share),
    column(compactText)('largest', 'request, in tokens', (row) => row.peakTokens),
    count('condensations', 'decisions to forget or mask', (row) => row.condensations),
    count('rewrites', 'requests that do not begin as the one before did', (row) => row.prefixRewrites),
    count('overflows', 'requests that are larger than the window', (row) => row.overflows),
    count('refused', 'requests that a strict provider refuses', (row) => row.refusedLists),
  ];
}
