import uPlot from 'uplot';
import { h } from './dom.js';

/** A chart that keeps its size and its colours those of the page. */
export interface Chart {
  readonly element: HTMLElement;
  redraw(): void;
}

const live = new Set<() => void>();

/** Draws all charts anew, as after a change of theme. */
function redrawCharts(): void {
  for (const draw of [...live]) draw();
}

/** Makes a chart of this height, whose options are made for each drawing. The text says what a person sees who does not see it. */
export function chart(
  text: string,
  height: number,
  data: uPlot.AlignedData,
  options: (width: number) => Omit<uPlot.Options, 'width' | 'height'>,
): Chart {
  const element = document.createElement('div');
  element.className = 'chart';
  element.setAttribute('role', 'img');
  element.setAttribute('aria-label', text);
  let plot: uPlot | undefined;
  let width = 0;
  const draw = (): void => {
    if (!element.isConnected) {
      live.delete(draw);
      return;
    }
    width = element.clientWidth;
    plot?.destroy();
    const { scales, ...own } = options(width);
    const common = { legend: { show: false }, scales: { x: { time: false }, ...scales } };
    plot = new uPlot({ ...common, ...own, width, height }, data, element);
  };
  new ResizeObserver(() => {
    if (element.isConnected && element.clientWidth !== width) draw();
  }).observe(element);
  live.add(draw);
  return { element, redraw: () => plot?.redraw(false, true) };
}

/** Makes an axis in the colours of the page. */
export function axis(label: string, value: (value: number) => string, more: Partial<uPlot.Axis> = {}): uPlot.Axis {
  const [text, line] = [resolved('--muted'), resolved('--line')];
  return {
    label,
    font: '12px system-ui, sans-serif',
    labelFont: '12px system-ui, sans-serif',
    labelSize: 22,
    stroke: text,
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1 },
    values: (_, splits) => splits.map(value),
    ...more,
  };
}

/** Colours that differ for most eyes, on light and dark; the first is that of doing nothing. Names are those of the style. */
export function policyColour(index: number): string {
  return resolved(`--policy-${index % 9}`);
}

/** Makes a colour of the style as a canvas takes it, in the theme of now. */
export function resolved(name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const dark = matchMedia('(prefers-color-scheme: dark)');

/** Switches between light and dark; until it is used the page follows the system. Printed pages are light. */
export function themeSwitch(): HTMLElement {
  const root = document.documentElement;
  const isDark = (): boolean => (root.dataset['theme'] ?? (dark.matches ? 'dark' : 'light')) === 'dark';
  const button = h('button', { type: 'button', class: 'theme', onclick: () => show(isDark() ? 'light' : 'dark') });
  function show(theme: string | undefined): void {
    if (theme !== undefined) root.dataset['theme'] = theme;
    button.textContent = isDark() ? '☀ Light' : '☾ Dark';
    redrawCharts();
  }
  dark.addEventListener('change', () => show(undefined));
  let chosen: string | undefined;
  addEventListener('beforeprint', () => {
    chosen = root.dataset['theme'];
    show('light');
  });
  addEventListener('afterprint', () => {
    if (chosen === undefined) delete root.dataset['theme'];
    show(chosen);
  });
  show(undefined);
  return button;
}
