// What is used of the modules that opencode gives to the plugins of its terminal.

declare module '@opentui/solid' {
  /** What is drawn. */
  export type Element = { readonly element: never };
  export function createElement(tag: 'box' | 'text' | 'scrollbox'): Element;
  export function insert(parent: Element, child: Element | string | (() => string)): void;
  export function setProp(element: Element, name: string, value: unknown): void;
}

declare module 'solid-js' {
  export function createSignal<Value>(value: Value): [get: () => Value, set: (value: Value) => void];
}
