import type { ItemKind, PolicyTimeline, SessionTimeline, TimelineItem } from '../../replay/timeline.js';
import { compactText, countedText, countText, h } from './dom.js';
import type { Attributes } from './dom.js';

const kindNames: Readonly<Record<ItemKind, string>> = {
  system: 'instructions',
  user: 'user',
  environment: 'environment',
  agent: 'agent',
  call: 'call',
  result: 'result',
  stub: 'stub',
  summary: 'summary',
};

/** The input of the list of items. */
export interface ItemListInput {
  readonly timeline: SessionTimeline;
  readonly steps: Steps;
  readonly call: number;
  /** The reason why an item is hidden or masked since a call. */
  readonly why: (item: number, state: ItemState) => string;
}

/** Lists what the model would have read at a call, in its order; what it would not have read stands folded where it was. */
export function itemList({ timeline, steps, call, why }: ItemListInput): readonly HTMLElement[] {
  const states = steps.statesAt(call);
  const reasonAt = (item: number): string => {
    const state = states[item];
    return state === undefined ? '' : why(item, state);
  };
  const before = timeline.calls[call - 1] ?? 0;
  const rows: HTMLElement[] = [];
  let hidden: number[] = [];
  const foldHidden = (): void => {
    const isNew = hidden.some((item) => states[item]?.since === call);
    if (hidden.length > 0) rows.push(gapRow(timeline, hidden, isNew, reasonAt));
    hidden = [];
  };
  let next = 0;
  const passTo = (place: number): void => {
    for (; next < place; next++) if (states[next]?.shown === 'hidden') hidden.push(next);
  };
  for (const id of steps.viewAt(call)) {
    const item = timeline.items[id];
    if (item === undefined) continue;
    const place = id < timeline.logged ? id : item.of;
    if (place !== undefined) passTo(place);
    foldHidden();
    const state = place === undefined ? undefined : states[place];
    const isNew =
      id < timeline.logged ? id >= before : state?.since === call || (place === undefined && item.step === call - 1);
    rows.push(itemRow(timeline, id, isNew, item.kind === 'stub' && place !== undefined ? reasonAt(place) : ''));
  }
  passTo(states.length);
  foldHidden();
  return rows;
}

/** One item; its whole text is put into the page when it is opened. */
function itemRow(timeline: SessionTimeline, id: number, isNew: boolean, note: string): HTMLElement {
  const item = timeline.items[id];
  if (item === undefined) return h('div');
  const text = textOf(timeline, item);
  const summary = h(
    'summary',
    {},
    h('span', { class: `kind kind-${item.kind}` }, kindNames[item.kind]),
    h('span', { class: 'tool' }, item.tool ?? ''),
    h('span', { class: 'preview' }, text === undefined ? '' : preview(text, item)),
    h('span', { class: 'tokens' }, compactText(item.tokens)),
  );
  const style = `item item-${item.kind}${isNew ? ' new' : ''}${item.isError === true ? ' error' : ''}`;
  return lazyDetails({ class: style, 'data-item': id }, summary, () => detailsOf(timeline, id, item, note));
}

/** Makes a fold. What it holds is made when it is opened first. */
function lazyDetails(attributes: Attributes, summary: HTMLElement, content: () => readonly HTMLElement[]): HTMLElement {
  const row = h('details', attributes, summary);
  row.addEventListener('toggle', () => {
    if (row.open && row.childElementCount === 1) row.append(...content());
  });
  return row;
}

function detailsOf(timeline: SessionTimeline, id: number, item: TimelineItem, note: string): readonly HTMLElement[] {
  const text = textOf(timeline, item);
  const original = item.of === undefined ? undefined : timeline.items[item.of];
  const hidden = original === undefined ? undefined : textOf(timeline, original);
  return [
    h(
      'p',
      { class: 'note' },
      `#${id} · ${countText(item.tokens)} tokens · ${item.step < 0 ? 'before the first call' : `of call ${item.step + 1}`}${note === '' ? '' : ` · ${note}`}`,
    ),
    text === undefined ? h('p', { class: 'note' }, 'The text is left out of this page.') : h('pre', {}, text),
    ...(original === undefined
      ? []
      : [
          h('p', { class: 'note' }, `It stands in the place of #${item.of}, ${countText(original.tokens)} tokens:`),
          ...(hidden === undefined ? [] : [h('pre', { class: 'was' }, hidden)]),
        ]),
  ];
}

/** Makes a row of neighbouring items that the model would not have read; their rows are made when they are unfolded. */
function gapRow(
  timeline: SessionTimeline,
  hidden: readonly number[],
  isNew: boolean,
  reasonAt: (item: number) => string,
): HTMLElement {
  const tokens = hidden.reduce((sum, item) => sum + (timeline.items[item]?.tokens ?? 0), 0);
  const [first, ...others] = new Set(hidden.map(reasonAt));
  const summary = h(
    'summary',
    {},
    h('strong', {}, `${countedText(hidden.length, 'item')} not read`),
    h(
      'span',
      { class: 'preview' },
      others.length > 1 ? `${first}; and ${others.length} other times` : [first, ...others].join('; '),
    ),
    h('span', { class: 'tokens' }, compactText(tokens)),
  );
  return lazyDetails({ class: `gap${isNew ? ' new' : ''}` }, summary, () =>
    hidden.map((item) => itemRow(timeline, item, false, reasonAt(item))),
  );
}

function textOf({ texts }: SessionTimeline, { text }: TimelineItem): string | undefined {
  return text === undefined ? undefined : texts[text];
}

/** Returns the beginning of a text on one line; of a call without the name of the tool, which stands beside it. */
function preview(text: string, { kind, tool }: TimelineItem): string {
  const isCall = kind === 'call' && tool !== undefined && text.startsWith(`${tool} `);
  const own = isCall ? text.slice(tool.length + 1) : text;
  return own.slice(0, 400).replace(/\s+/g, ' ').trim().slice(0, 200);
}

/** The state of an item of the log at a call: not there yet, read whole, read as a stub, or not read. */
export type ItemState = { readonly shown: 'whole' | 'stub' | 'hidden'; readonly since: number };

/** A session with one policy, call by call. */
export interface Steps {
  /** The items of the view at a call, in its order. */
  viewAt(call: number): readonly number[];
  /** The state of each item of the log that stands before a call, and the call that it has been so since. */
  statesAt(call: number): readonly ItemState[];
  /** The calls at which something that was read before is no longer read whole, or something was condensed. */
  readonly forgetting: readonly number[];
}

/** Unfolds the views, which stand in the page as changes. */
export function stepsOf(timeline: SessionTimeline, policy: PolicyTimeline): Steps {
  const views: (readonly number[])[] = [];
  for (const [same, ...added] of policy.views) {
    const view = (views.at(-1) ?? []).slice(0, same);
    for (const run of added) {
      const [from, to] = typeof run === 'number' ? [run, run] : run;
      for (let item = from; item <= to; item++) view.push(item);
    }
    views.push(view);
  }
  const states: (readonly ItemState[])[] = [];
  const forgetting = new Set(policy.condensations.map(({ call }) => call));
  views.forEach((view, call) => {
    const whole = new Set<number>();
    const stubs = new Set<number>();
    for (const item of view) {
      const of = timeline.items[item]?.of;
      if (item < timeline.logged) whole.add(item);
      else if (of !== undefined) stubs.add(of);
    }
    const before = states.at(-1) ?? [];
    states.push(
      Array.from({ length: timeline.calls[call] ?? 0 }, (_, item): ItemState => {
        const shown = whole.has(item) ? 'whole' : stubs.has(item) ? 'stub' : 'hidden';
        const last = before[item];
        if (last?.shown === shown) return last;
        if (last?.shown === 'whole') forgetting.add(call);
        return { shown, since: call };
      }),
    );
  });
  return {
    viewAt: (call) => views[call] ?? [],
    statesAt: (call) => states[call] ?? [],
    forgetting: [...forgetting].sort((one, other) => one - other),
  };
}
