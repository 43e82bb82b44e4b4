import { redrawCharts } from './chart.js';
import { h } from './dom.js';

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
