import type { Prices } from '../../measure/money.js';

/** A part of an element. Text becomes a text node, never markup. */
export type Child = Node | string | number | undefined | false;

/** Attributes by name. `onclick` and the like are listeners. `undefined` and `false` are left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined | ((event: never) => void)>>;

/** Makes an element. Text of sessions reaches the page only through here and `textContent`, so it is never parsed. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value as (event: Event) => void);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...shown(children));
  return element;
}

/** Replaces what an element holds. */
export function fill(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren(...shown(children));
}

function shown(children: readonly Child[]): (Node | string)[] {
  return children.flatMap((child) =>
    child === undefined || child === false ? [] : typeof child === 'number' ? [String(child)] : [child],
  );
}

/** Makes a figure: the text for people, the exact value for programs. */
export function figure(value: number | undefined, text: (value: number) => string): HTMLElement {
  return value === undefined ? h('span', {}, '–') : h('data', { value: String(value) }, text(value));
}

/** Makes a table that scrolls sideways where it is wider than the page. */
export function wideTable(
  label: string,
  attributes: Attributes,
  heads: readonly HTMLElement[],
  rows: readonly HTMLElement[],
): HTMLElement {
  const table = h('table', attributes, h('thead', {}, h('tr', {}, ...heads)), h('tbody', {}, ...rows));
  return h('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': label }, table);
}

/** Makes an input of a choice with its label. */
export function labelledSelect(
  label: string,
  options: readonly (readonly [value: string, text: string])[],
  chosen: string,
  onChoice: (value: string) => void,
): HTMLElement {
  const select = h('select', {}, ...options.map(([value, text]) => h('option', { value }, text)));
  select.value = chosen;
  select.addEventListener('change', () => onChoice(select.value));
  return h('label', { class: 'field' }, h('span', {}, label), select);
}

/** Formats an amount of money: USD, or what so many uncached input tokens cost. */
export function moneyText(value: number, { unit }: Pick<Prices, 'unit'>): string {
  if (unit !== 'USD') return `${compactText(value)} token prices`;
  const digits = Math.abs(value) >= 0.995 || value === 0 ? 2 : 4;
  return `${value < 0 ? '−' : ''}$${Math.abs(value).toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}

/** Returns a number in a short form: 12.3 k, 4.56 M. */
export function compactText(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e6) return `${(value / 1e6).toFixed(size >= 1e8 ? 0 : size >= 1e7 ? 1 : 2)}\u00a0M`;
  if (size >= 1e3) return `${(value / 1e3).toFixed(size >= 1e5 ? 0 : 1)}\u00a0k`;
  return countText(Math.round(value));
}

export function percentText(share: number): string {
  return `${(share * 100).toFixed(1).replace('-', '−')}\u00a0%`;
}

export function countText(value: number): string {
  return value.toLocaleString('en-US');
}

export function ratioText(value: number): string {
  return value.toFixed(2).replace('-', '−');
}

/** Returns a number with its noun: `1 session`, `2 sessions`. */
export function countedText(value: number, noun: string): string {
  return `${countText(value)} ${noun}${value === 1 ? '' : 's'}`;
}
