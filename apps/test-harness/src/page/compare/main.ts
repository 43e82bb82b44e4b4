import type { ArmComparison, ArmTotals } from '../../compare/comparison.js';
import type { MeasureComparison } from '../../compare/compare-measure.js';
import {
  differenceText,
  intervalText,
  lossTexts,
  measureWords,
  valueText,
  verdictText,
} from '../../compare/comparison-text.js';
import type { MeasureName } from '../../compare/measures.js';
import { countedText, fill, h, wideTable } from '../browser/dom.js';
import type { ComparisonData } from '../comparison-data.js';
import { intervalChart } from './interval-chart.js';
import './compare.css';

const { harness, createdAt, comparison } = JSON.parse(
  document.getElementById('comparison')?.textContent ?? 'null',
) as ComparisonData;
const { arms, beside, comparisons } = comparison;

/** Returns the section that comes first: what is lost, and what cannot be ruled out. */
function lossSection(): HTMLElement {
  const losses = comparisons.flatMap((each) => lossTexts(each, beside));
  const stopped = arms.filter((arm) => arm.stopped > 0);
  return h(
    'section',
    { 'aria-labelledby': 'losses' },
    h('h2', { id: 'losses' }, 'Losses'),
    losses.length === 0
      ? h('p', {}, 'None was seen.')
      : h('ul', {}, ...losses.map((loss) => h('li', { class: 'loss' }, loss))),
    ...stopped.map(({ arm, stopped: cut, trials }) =>
      h(
        'p',
        { class: 'note' },
        `${arm}: ${cut} of ${countedText(trials, 'trial')} did not end by themselves. They count as they are.`,
      ),
    ),
  );
}

/** Returns the section with the intervals of all arms, of solved tasks and of cost. */
function intervalSection(): HTMLElement {
  const charts = (['solved', 'cost'] as const).flatMap((name) => {
    const rows = comparisons.flatMap(({ arm, measures }) => {
      const compared = measures.find(({ measure }) => measure === name);
      return compared === undefined ? [] : [{ arm, compared }];
    });
    return rows.length === 0 ? [] : [intervalChart(`${titleOf(name)}, beside ${beside}`, rows)];
  });
  return h(
    'section',
    { 'aria-labelledby': 'intervals' },
    h('h2', { id: 'intervals' }, 'What was seen, and how surely'),
    h('div', { class: 'charts' }, ...charts),
    h('p', { class: 'note' }, 'A dot is the difference by task, its line the 95 % interval. ', severalText()),
  );
}

function titleOf(name: MeasureName): string {
  return name === 'solved' ? 'Solved tasks' : 'Cost';
}

function severalText(): string {
  return comparisons.length < 2
    ? ''
    : `${comparisons.length} arms are compared: one comparison in twenty shows a difference by chance alone.`;
}

function armSection({ arm, tasks, trials, unpaired, measures }: ArmComparison, index: number): HTMLElement {
  const left = unpaired === 0 ? '' : ` ${countedText(unpaired, 'task')} of one arm alone left out.`;
  return h(
    'section',
    { 'aria-labelledby': `arm-${index}` },
    h('h2', { id: `arm-${index}` }, `${arm} beside ${beside}`),
    h('p', { class: 'note' }, `${countedText(tasks, 'task')}, ${countedText(trials, 'trial')} each.${left}`),
    wideTable(
      `Measures of ${arm}`,
      {},
      [
        ...['measure', beside, arm, 'difference', '95 % interval'].map((text) => h('th', { scope: 'col' }, text)),
        h('th', { scope: 'col', class: 'verdict' }, 'seen'),
      ],
      measures.map(measureRow),
    ),
  );
}

function measureRow(compared: MeasureComparison): HTMLElement {
  const { measure, without, within, difference, verdict } = compared;
  return h(
    'tr',
    { 'data-measure': measure },
    h('th', { scope: 'row' }, measureWords[measure].name),
    h('td', {}, valueText(measure, without)),
    h('td', {}, valueText(measure, within)),
    h('td', {}, h('data', { value: difference }, differenceText(compared, difference))),
    h('td', {}, intervalText(compared)),
    h('td', { class: `verdict ${verdict}` }, verdictText(compared)),
  );
}

function totalSection(): HTMLElement {
  return h(
    'section',
    { 'aria-labelledby': 'totals' },
    h('h2', { id: 'totals' }, 'All trials'),
    wideTable(
      'Totals of each arm',
      {},
      ['arm', 'trials', 'solved', 'cost', 'cost by solved trial'].map((text) => h('th', { scope: 'col' }, text)),
      arms.map(totalRow),
    ),
    h('p', { class: 'note' }, 'A run that fails early is cheap. The cost by solved trial counts it.'),
  );
}

function totalRow({ arm, trials, solved, costUsd }: ArmTotals): HTMLElement {
  const money = (value: number | undefined): string => (value === undefined ? '–' : valueText('cost', value));
  const bySolved = costUsd === undefined || solved === 0 ? undefined : costUsd / solved;
  return h(
    'tr',
    {},
    h('th', { scope: 'row' }, arm),
    h('td', {}, trials),
    h('td', {}, solved),
    h('td', {}, money(costUsd)),
    h('td', {}, money(bySolved)),
  );
}

fill(
  document.getElementById('page') ?? document.body,
  h('header', {}, h('h1', { class: 'title' }, 'Palimpsest ', h('span', {}, 'live runs compared'))),
  h('main', {}, lossSection(), intervalSection(), ...comparisons.map(armSection), totalSection()),
  h(
    'footer',
    {},
    h(
      'p',
      {},
      `Made by palimpsest-harness ${harness} on ${createdAt.slice(0, 16).replace('T', ' ')} UTC. Nothing on this page is loaded from elsewhere.`,
    ),
  ),
);
