/** What an element holds. Text becomes a text node, never markup. */
export type Child = Node | string | number | undefined | false;

/** Attributes by name; `onclick` and the like are listeners; `undefined` and `false` are left out. */
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

/** A figure: the text for people, the exact value for programs. */
export function figure(value: number | undefined, text: string): HTMLElement {
  return value === undefined ? h('span', {}, '–') : h('data', { value: String(value) }, text);
}

/** An input of a choice with its label. */
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
