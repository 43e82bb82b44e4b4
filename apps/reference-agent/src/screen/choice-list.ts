import { matchesKey } from '@mariozechner/pi-tui';
import type { Choice } from '../output/lines.js';
import { typedText, cutLine, harmlessLine, columnsOf, wrappedBehind, harmless } from './shown-width.js';
import type { Styles } from './styles.js';
import type { View } from './view.js';

/** Options of {@link ChoiceList}. */
export interface ChoiceListOptions {
  readonly title: string;
  readonly items: readonly Choice[];
  readonly styles: Styles;
  /** So many items are seen at once. */
  readonly maxVisible: () => number;
  /** Undefined: given up. */
  readonly chosen: (value: string | undefined) => void;
}

/** A list to choose from. What is typed narrows it. */
export class ChoiceList implements View {
  readonly #options: ChoiceListOptions;
  #filter = '';
  #selected = 0;

  constructor(options: ChoiceListOptions) {
    this.#options = options;
  }

  render(width: number): readonly string[] {
    const { title, styles, maxVisible } = this.#options;
    const { bold, dim, inverse, isColorSupported } = styles.colours;
    const found = this.#found();
    const visible = Math.max(1, maxVisible());
    const first = Math.max(0, Math.min(this.#selected - Math.floor(visible / 2), found.length - visible));
    const labelWidth = Math.min(
      Math.floor(width / 2),
      Math.max(0, ...found.slice(first, first + visible).map(({ label }) => columnsOf(harmlessLine(label)))),
    );
    const rows = found.slice(first, first + visible).map(({ label, detail = '' }, at) => {
      const isSelected = first + at === this.#selected;
      const name = cutLine(harmlessLine(label), detail === '' ? width - 3 : labelWidth);
      const padding = ' '.repeat(Math.max(0, labelWidth - columnsOf(name)));
      const rest = detail === '' ? '' : `${padding}  ${dim(cutLine(harmlessLine(detail), width - labelWidth - 5))}`;
      const shown = isSelected && isColorSupported ? inverse(name) : isSelected ? bold(name) : name;
      return cutLine(`${isSelected ? bold(' › ') : '   '}${shown}${rest}`, width);
    });
    const position = found.length > visible ? ` ${this.#selected + 1}/${found.length} ·` : '';
    const filter = this.#filter === '' ? 'type to narrow' : `“${this.#filter}”`;
    return [
      dim('─'.repeat(width)),
      ...wrappedBehind(1, harmless(title), width).map((line) => bold(line)),
      ...(rows.length === 0 ? [dim('   nothing of that name')] : rows),
      dim(cutLine(`${position} ${filter} · ↑↓ · Enter chooses · Esc gives up`, width)),
    ];
  }

  handleInput(data: string): void {
    const found = this.#found();
    if (matchesKey(data, 'escape') || matchesKey(data, 'ctrl+c')) return this.#options.chosen(undefined);
    if (matchesKey(data, 'enter')) {
      const { value } = found[this.#selected] ?? {};
      if (value !== undefined) this.#options.chosen(value);
    } else if (matchesKey(data, 'up')) this.#move(-1, found.length);
    else if (matchesKey(data, 'down') || matchesKey(data, 'tab')) this.#move(1, found.length);
    else if (matchesKey(data, 'pageUp')) this.#selected = Math.max(0, this.#selected - this.#options.maxVisible());
    else if (matchesKey(data, 'pageDown'))
      this.#selected = Math.max(0, Math.min(found.length - 1, this.#selected + this.#options.maxVisible()));
    else if (matchesKey(data, 'backspace')) this.#narrow([...this.#filter].slice(0, -1).join(''));
    else if (data.charCodeAt(0) >= 32 && data.charCodeAt(0) !== 127 && !data.includes('\u001b'))
      this.#narrow(this.#filter + typedText(data));
    else if (matchesKey(data, 'space')) this.#narrow(`${this.#filter} `);
  }

  #narrow(filter: string): void {
    this.#filter = filter;
    this.#selected = 0;
  }

  #move(by: number, count: number): void {
    if (count > 0) this.#selected = (this.#selected + by + count) % count;
  }

  #found(): readonly Choice[] {
    const words = this.#filter.toLowerCase().split(' ').filter(Boolean);
    if (words.length === 0) return this.#options.items;
    return this.#options.items.filter(({ label, detail = '' }) => {
      const text = `${label} ${detail}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }
}
