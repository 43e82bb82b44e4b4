import { reportRows } from '../../replay/report.js';
import type { ReplayRow } from '../../replay/report.js';
import type { PricedSizes } from '../../replay/replay-text.js';
import { countText, fill, h, labelledSelect, wideTable } from '../browser/dom.js';
import { defaultSizes, frameworks, installLine, ownLines } from './own-lines.js';
import { figuresOf } from './result-section.js';
import type { ListedSession, Wished } from './session-run.js';

/** Options of {@link sizesSection}. */
export interface SizesSectionOptions {
  readonly session: ListedSession;
  /** The index of the row of prices. */
  readonly price: number;
  /** Replays the session with `priced` of other sizes. */
  readonly replay: (sizes: PricedSizes) => Promise<Wished | undefined>;
}

/** Tries other sizes of `priced` on one session, and gives the lines with which a program uses them. */
export function sizesSection({ session, price, replay }: SizesSectionOptions): HTMLElement {
  let sizes = defaultSizes;
  let framework = frameworks[0] as (typeof frameworks)[number];
  const own = session.replayed === undefined ? [] : reportRows([session.replayed]);
  const first = own.find(({ condenser }) => condenser === 'priced');
  const tried = new Map<string, ReplayRow>();
  if (first !== undefined) tried.set(labelOf(defaultSizes), first);

  const state = h('span', { role: 'status' });
  const results = h('div');
  const code = h('code', {});
  const install = h('code', {});
  const drawLines = (): void => {
    fill(install, installLine(framework));
    fill(code, ownLines(framework, sizes));
  };
  const drawResults = (): void => {
    const heads = ['sizes', 'saved with re-reads', 'forgotten'].map((name) => h('th', { scope: 'col' }, name));
    const rows = [...tried].map(([label, row]) => {
      const [saved, , forgotten] = figuresOf(row, price);
      return h(
        'tr',
        { class: label === labelOf(sizes) && 'shown' },
        h('th', { scope: 'row' }, label),
        h('td', {}, saved),
        h('td', {}, forgotten),
      );
    });
    fill(results, wideTable('What the sizes save and forget', { id: 'sizes-tried' }, heads, rows));
  };
  const tryOut = async (): Promise<void> => {
    drawLines();
    const label = labelOf(sizes);
    if (!tried.has(label)) {
      fill(state, `Replaying with ${label} …`);
      const wished = await replay(sizes);
      const row = wished === undefined ? undefined : reportRows([wished.replayed])[1];
      if (row !== undefined) tried.set(label, row);
      fill(state, row === undefined && label === labelOf(sizes) ? 'The replay was given up.' : '');
    }
    drawResults();
  };

  const lines = slider('Of it, for lines of earlier results', {
    least: 0,
    most: 20_000,
    step: 500,
    value: sizes.maxLineTokens,
  });
  const target = slider('The size after condensing', {
    least: 4_000,
    most: 40_000,
    step: 1_000,
    value: sizes.targetTokens,
  });
  const limit = (): void => {
    // The lines are a part of the whole.
    lines.input.max = `${Math.min(20_000, Number(target.input.value) - 2_000)}`;
    lines.show();
  };
  target.input.addEventListener('input', limit);
  limit();
  for (const { input } of [target, lines])
    input.addEventListener('change', () => {
      sizes = { targetTokens: Number(target.input.value), maxLineTokens: Number(lines.input.value) };
      void tryOut();
    });

  drawLines();
  drawResults();
  return h(
    'section',
    { 'aria-labelledby': 'sizes' },
    h('h2', { id: 'sizes' }, 'Other sizes of priced, on ', h('span', { class: 'name' }, session.name)),
    h('div', { class: 'sliders' }, target.element, lines.element),
    state,
    results,
    h('h3', {}, 'In your program'),
    labelledSelect(
      'Framework',
      frameworks.map(({ name }, index) => [`${index}`, name]),
      '0',
      (value) => {
        framework = frameworks[Number(value)] ?? framework;
        drawLines();
      },
    ),
    h('pre', { tabindex: 0, 'aria-label': 'The command that installs it' }, install),
    h('pre', { tabindex: 0, id: 'own-lines', 'aria-label': 'The lines for your program' }, code),
    copyButton(code),
  );
}

function labelOf({ targetTokens, maxLineTokens }: PricedSizes): string {
  return `${countText(targetTokens)} tokens, ${countText(maxLineTokens)} of them lines`;
}

function slider(
  label: string,
  {
    least,
    most,
    step,
    value,
  }: { readonly least: number; readonly most: number; readonly step: number; readonly value: number },
) {
  const input = h('input', { type: 'range', min: least, max: most, step, value });
  const shown = h('span');
  const show = (): void => {
    const text = `${countText(Number(input.value))} tokens`;
    fill(shown, text);
    input.setAttribute('aria-valuetext', text);
  };
  input.addEventListener('input', show);
  show();
  const element = h('label', { class: 'field' }, h('span', {}, label, ': ', shown), input);
  return { element, input, show };
}

function copyButton(code: HTMLElement): HTMLElement {
  const said = h('span', { role: 'status', class: 'note' });
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      fill(said, 'Copied.');
    } catch {
      // Where a page may not write to the clipboard, the person copies what is selected.
      getSelection()?.selectAllChildren(code);
      fill(said, 'Selected; copy it with your keyboard.');
    }
  };
  return h('p', {}, h('button', { type: 'button', onclick: () => void copy() }, 'Copy the lines'), ' ', said);
}
