import uPlot from 'uplot';
import type { ControlPoint, Controls } from '../../measure/controls.js';
import type { Prices } from '../../measure/money.js';
import { frontier } from '../../replay/report.js';
import { billWithRereads } from '../../replay/savings.js';
import type { ReplayedSession } from '../../replay/replayed-session.js';
import type { ReplayRow } from '../../replay/report.js';
import { axis, chart, policyColour, resolved } from './charts.js';
import { compactText, h, labelledSelect, moneyText, percentText } from './dom.js';
import type { Axis, Choice, PageState } from './page-state.js';
import { policyTable } from './policy-table.js';

interface Point {
  readonly cost: number;
  readonly recall: number;
  readonly index: number;
}

/** Returns the section of cost against recall: every policy, the frontier, and the two controls. */
export function costSection(state: PageState, choose: (choice: Partial<Choice>) => void): HTMLElement {
  const points = state.rows.map((row, index) => ({ index, cost: costOf(row, state), recall: row.recall }));
  return h(
    'section',
    { 'aria-labelledby': 'cost' },
    h('h2', { id: 'cost' }, 'What each policy costs and remembers'),
    labelledSelect(
      'Cost is',
      [
        ['with-rereads', 'the bill with what is read again'],
        ['bill', 'the bill, if nothing is read again'],
        ['tokens', 'the tokens sent'],
      ],
      state.axis,
      (value) => choose({ axis: value as Axis }),
    ),
    costChart(state, points),
    h(
      'p',
      { class: 'note' },
      'Up and to the left is better. ',
      h('span', { class: 'key key-frontier' }, 'the best'),
      ': no policy beats these in both.',
      ...(state.axis === 'with-rereads' ? [] : comparisons()),
    ),
    policyTable(state, choose),
  );
}

/** The legend of the two controls, which read nothing again. */
function comparisons(): (HTMLElement | string)[] {
  return [
    ' For comparison: ',
    h('span', { class: 'key key-last' }, 'the newest events'),
    ' that fit; ',
    h('span', { class: 'key key-belady' }, 'the best choice'),
    ' of what to keep, by one who knows the future and rewrites at each step (Belady’s rule).',
  ];
}

function costOf(row: ReplayRow, { price, axis }: PageState): number {
  const savings = row.savings[price];
  if (axis === 'tokens') return row.share;
  if (savings === undefined) return 0;
  return axis === 'bill' ? savings.bill : billWithRereads(savings);
}

function costChart(state: PageState, points: readonly Point[]): HTMLElement {
  const { data, price, axis: by, rows, sessions } = state;
  const prices = data.prices[price];
  if (prices === undefined) return h('p', {}, '');
  const chosen = sessions.flatMap((index) => data.sessions[index] ?? []);
  const curve = (control: 'lastN' | 'belady'): [number[], number[]] => {
    const pooled = by === 'with-rereads' ? [] : pooledCurve(chosen, control, prices);
    // More room can cost less, because less is evicted: only the best of the control is drawn.
    const inOrder = frontier(
      pooled.map(({ share, bill, recall }) => ({ cost: by === 'tokens' ? share : bill, recall })),
    );
    return [inOrder.map(({ cost }) => cost), inOrder.map(({ recall }) => recall)];
  };
  const best = frontier(points);
  const tables = [
    curve('lastN'),
    curve('belady'),
    [best.map(({ cost }) => cost), best.map(({ recall }) => recall)],
    [
      [0, Math.max(...points.map(({ cost }) => cost)) * 1.06],
      [null, null],
    ],
  ] as [number[], (number | null)[]][];
  const joined = uPlot.join(tables);
  const least = Math.min(...points.map(({ recall }) => recall));
  const floor = Math.max(0, Math.floor((least - 0.04) * 20) / 20);
  const costText = (value: number): string =>
    by === 'tokens' ? percentText(value) : prices.unit === 'USD' ? moneyText(value, prices) : compactText(value);
  const text = rows
    .map(
      (row, index) =>
        `${row.condenser}: ${costText(points[index]?.cost ?? 0)}, still in view ${percentText(row.recall)}`,
    )
    .join('; ');
  return chart(`Cost against what is still in view. ${text}.`, 380, joined, (width) => ({
    cursor: { show: false },
    padding: [14, width > 640 ? 24 : 14, 0, 0],
    scales: { y: { range: [floor, 1 + (1 - floor) / 30] } },
    axes: [
      axis(
        by === 'tokens' ? 'tokens sent, of those of doing nothing' : by === 'bill' ? 'bill' : 'bill with re-reads',
        costText,
        {
          space: 90,
          size: 34,
        },
      ),
      axis('needed and still in view', (value) => (value > 1 ? '' : `${Math.round(value * 100)} %`), {
        size: 52,
      }),
    ],
    series: [{}, line('--last'), line('--belady'), { ...line('--frontier'), width: 2, dash: [7, 5] }, { show: false }],
    hooks: { draw: [(plot) => drawPoints(plot, points, state, width > 640)] },
  })).element;
}

function line(colour: string): uPlot.Series {
  return { stroke: resolved(colour), width: 1.5, spanGaps: true, points: { show: false } };
}

/** Draws a numbered dot for each policy; its name beside it where there is room. */
function drawPoints(plot: uPlot, points: readonly Point[], { rows, shown }: PageState, withNames: boolean): void {
  const { ctx } = plot;
  const dots = points.map(({ index, cost, recall }): Dot => {
    const [x, y] = [plot.valToPos(cost, 'x', true), plot.valToPos(recall, 'y', true)];
    return { x, y, index, isShown: index === shown, radius: (index === shown ? 11 : 9) * devicePixelRatio };
  });
  ctx.save();
  ctx.setLineDash([]);
  ctx.textBaseline = 'middle';
  if (withNames) drawNames(plot, dots, (index) => rows[index]?.condenser ?? '');
  for (const dot of dots) drawDot(ctx, dot);
  ctx.restore();
}

interface Dot {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly index: number;
  readonly isShown: boolean;
}

function drawDot(ctx: CanvasRenderingContext2D, { x, y, radius, index, isShown }: Dot): void {
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  ctx.fillStyle = policyColour(index);
  ctx.fill();
  ctx.lineWidth = (isShown ? 3 : 1.5) * devicePixelRatio;
  ctx.strokeStyle = resolved(isShown ? '--ink' : '--surface');
  ctx.stroke();
  ctx.fillStyle = '#fff';
  ctx.textAlign = 'center';
  ctx.font = `600 ${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.fillText(String(index), x, y + devicePixelRatio / 2);
}

/** Names stand right of all dots that are near, each below the one before it. */
function drawNames({ ctx, bbox }: uPlot, dots: readonly Dot[], nameOf: (index: number) => string): void {
  const ratio = devicePixelRatio;
  const gap = 6 * ratio;
  const taken: { readonly x: number; readonly y: number; readonly width: number }[] = [];
  ctx.textAlign = 'left';
  ctx.lineWidth = 4 * ratio;
  for (const { x, y, radius, index, isShown } of [...dots].sort((one, other) => one.y - other.y)) {
    ctx.font = `${isShown ? '600 ' : ''}${12 * ratio}px system-ui, sans-serif`;
    const { width } = ctx.measureText(nameOf(index));
    const near = dots.filter((dot) => Math.abs(dot.y - y) < 2 * radius && dot.x >= x && dot.x < x + width);
    const edge = Math.max(x, ...near.map((dot) => dot.x));
    const isOutside = edge + radius + gap + width > bbox.left + bbox.width;
    const left = isOutside ? x - radius - gap - width : edge + radius + gap;
    let top = y;
    const overlaps = (): boolean =>
      taken.some(
        (other) => Math.abs(other.y - top) < 15 * ratio && left < other.x + other.width && other.x < left + width,
      );
    while (overlaps()) top += 3 * ratio;
    taken.push({ x: left, y: top, width });
    ctx.strokeStyle = resolved('--surface');
    ctx.strokeText(nameOf(index), left, top);
    ctx.fillStyle = resolved('--ink');
    ctx.fillText(nameOf(index), left, top);
  }
}

/** A point of a control over several sessions. */
export interface PooledPoint {
  /** Of all raw tokens. */
  readonly share: number;
  /** What the requests cost, in the unit of the prices; rates for long prompts are left out. */
  readonly bill: number;
  readonly recall: number;
}

/** Returns the curve of a control over the sessions: tokens, bills and evidence are summed at each of its sizes. */
function pooledCurve(
  sessions: readonly ReplayedSession[],
  control: keyof Controls,
  prices: Prices,
): readonly PooledPoint[] {
  const sizes = sessions[0]?.controls[control].length ?? 0;
  return Array.from({ length: sizes }, (_, size) => {
    let [raw, sent, bill, seen, used] = [0, 0, 0, 0, 0];
    for (const { controls, priced, replays } of sessions) {
      const point: ControlPoint | undefined = controls[control][size];
      const [none] = replays;
      if (point === undefined || none === undefined) continue;
      raw += none.tokensSent;
      sent += point.share * none.tokensSent;
      const { cacheRead, cacheWrite } = (prices.unit === 'USD' && priced?.prices) || prices;
      bill += none.tokensSent * (cacheRead * point.cached + cacheWrite * (point.share - point.cached));
      seen += point.recall * none.memory.all.whole;
      used += none.memory.all.whole;
    }
    return { share: raw === 0 ? 0 : sent / raw, bill, recall: used === 0 ? 1 : seen / used };
  });
}
