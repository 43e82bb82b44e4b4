import type { MeasureComparison } from '../../compare/compare-measure.js';
import { differenceText, intervalText } from '../../compare/comparison-text.js';
import { h } from '../browser/dom.js';

/** A row of a chart of intervals. */
export interface IntervalRow {
  readonly arm: string;
  readonly compared: MeasureComparison;
}

/** Sizes of a row. Unit: those of the drawing, which is 400 wide. */
const [width, rowHeight] = [400, 44];

/** Returns a chart of one measure: each arm's difference and interval, beside a line at zero. */
export function intervalChart(title: string, rows: readonly IntervalRow[]): HTMLElement {
  const ends = rows.flatMap(({ compared: { difference, interval } }) => [
    difference,
    ...(interval === undefined ? [] : [interval.low, interval.high]),
  ]);
  const most = Math.max(0.02, ...ends.map(Math.abs)) * 1.08;
  const place = (value: number): number => ((value + most) / (2 * most)) * width;
  const texts = rows.map(({ arm, compared }) => {
    const { difference } = compared;
    return `${arm} ${differenceText(compared, difference)} (${intervalText(compared)})`;
  });
  const height = rows.length * rowHeight;
  const picture = svg('svg', {
    viewBox: `0 0 ${width} ${height}`,
    role: 'img',
    'aria-label': `${title}: ${texts.join('; ')}`,
  });
  picture.append(svg('line', { class: 'zero', x1: width / 2, x2: width / 2, y1: 0, y2: height }));
  for (const [index, { compared }] of rows.entries()) {
    const { difference, interval, verdict } = compared;
    const [y, drawn] = [index * rowHeight + 30, svg('g', { class: verdict })];
    if (interval !== undefined)
      drawn.append(svg('line', { x1: place(interval.low), x2: place(interval.high), y1: y, y2: y }));
    const text = svg('text', { x: 0, y: y - 14 });
    text.textContent = texts[index] ?? '';
    drawn.append(svg('circle', { cx: place(difference), cy: y, r: 5 }), text);
    picture.append(drawn);
  }
  return h('figure', {}, h('figcaption', {}, title), picture);
}

function svg(tag: string, attributes: Readonly<Record<string, string | number>>): Element {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}
