import { Input } from '@mariozechner/pi-tui';
import type { Page, Choice } from '../output/lines.js';
import {
  cutLine,
  pasteEnd,
  pasteStart,
  printableText,
  printableLine,
  padLine,
  typedText,
  columnsOf,
  wrapIndented,
  wrapLine,
  styled,
  isKey,
  withTerminalCursor,
} from './layout.js';
import type { Styles, FrontPart } from './layout.js';

/** A page over the whole screen, to scroll and to search. */
export class Pager implements FrontPart {
  readonly #page: Page;
  readonly #styles: Styles;
  readonly #close: () => void;
  readonly #rows: () => number;
  #top = 0;
  #width = 0;
  #lines: readonly string[] = [];
  /** The lines as shown, without colours, for the search. */
  #texts: readonly string[] = [];
  #query: string | undefined;
  #isTyping = false;

  constructor(page: Page, { styles, rows, close }: { styles: Styles; rows: () => number; close: () => void }) {
    this.#page = page;
    this.#styles = styles;
    this.#rows = rows;
    this.#close = close;
  }

  render(width: number): readonly string[] {
    if (width !== this.#width) this.#wrap(width);
    const height = this.#height();
    this.#top = Math.max(0, Math.min(this.#top, this.#lines.length - height));
    const { bold, dim, inverse } = this.#styles.colours;
    const query = this.#query?.toLowerCase() ?? '';
    const body = this.#lines.slice(this.#top, this.#top + height).map((line, at) => {
      const isFound = query !== '' && this.#texts[this.#top + at]?.toLowerCase().includes(query) === true;
      return isFound ? `${bold('»')}${inverse(this.#texts[this.#top + at]?.slice(1) ?? '')}` : line;
    });
    while (body.length < height) body.push(dim('~'));
    const title = ` ${cutLine(printableLine(this.#page.title), width - 2)} `;
    return [bold(inverse(padLine(title, width))), ...body, cutLine(this.#footer(height), width)];
  }

  handleInput(data: string): void {
    if (this.#isTyping) return this.#typed(data);
    const height = this.#height();
    if (isKey(data, 'q', 'escape', 'ctrl+c')) return this.#close();
    if (isKey(data, 'up', 'k')) this.#top -= 1;
    else if (isKey(data, 'down', 'j', 'enter')) this.#top += 1;
    else if (isKey(data, 'pageUp', 'b', 'ctrl+b')) this.#top -= height - 1;
    else if (isKey(data, 'pageDown', 'space', 'f', 'ctrl+f')) this.#top += height - 1;
    else if (isKey(data, 'ctrl+u')) this.#top -= Math.ceil(height / 2);
    else if (isKey(data, 'ctrl+d')) this.#top += Math.ceil(height / 2);
    else if (isKey(data, 'g', 'home')) this.#top = 0;
    else if (isKey(data, 'shift+g', 'end') || data === 'G') this.#top = this.#lines.length;
    else if (data === '/') [this.#isTyping, this.#query] = [true, ''];
    else if (isKey(data, 'n')) this.#find(this.#top + 1, 1);
    else if (isKey(data, 'shift+n') || data === 'N') this.#find(this.#top - 1, -1);
  }

  scroll(lines: number): void {
    this.#top += lines;
  }

  #typed(data: string): void {
    if (isKey(data, 'enter')) {
      this.#isTyping = false;
      this.#find(this.#top, 1);
    } else if (isKey(data, 'escape', 'ctrl+c')) {
      [this.#isTyping, this.#query] = [false, undefined];
    } else if (isKey(data, 'backspace')) {
      this.#query = [...(this.#query ?? '')].slice(0, -1).join('');
    } else if (data.length > 0 && data.charCodeAt(0) >= 32 && data.charCodeAt(0) !== 127) {
      this.#query = (this.#query ?? '') + typedText(data);
    }
  }

  /** The next line that holds what is searched, from a line on; round the ends of the page. */
  #find(from: number, step: 1 | -1): void {
    const query = (this.#query ?? '').toLowerCase();
    const count = this.#texts.length;
    if (query === '' || count === 0) return;
    for (let moved = 0; moved < count; moved++) {
      const at = (((from + step * moved) % count) + count) % count;
      if (this.#texts[at]?.toLowerCase().includes(query) === true) {
        this.#top = at;
        return;
      }
    }
  }

  #height(): number {
    return Math.max(1, this.#rows() - 2);
  }

  #footer(height: number): string {
    const { dim, bold } = this.#styles.colours;
    if (this.#isTyping) return ` ${bold('/')}${this.#query ?? ''}▏ ${dim('Enter finds, Esc gives up')}`;
    const seen = Math.min(this.#lines.length, this.#top + height);
    const place = this.#lines.length <= height ? 'all' : `${Math.round((100 * seen) / this.#lines.length)}%`;
    const found = this.#query === undefined || this.#query === '' ? '' : ` · n/N next “${this.#query}”`;
    return ` ${bold(place)}${dim(`${found} · q closes · ↑↓ PgUp PgDn g G · / finds`)}`;
  }

  #wrap(width: number): void {
    // The line that was at the top stays near it.
    const share = this.#lines.length === 0 ? 0 : this.#top / this.#lines.length;
    this.#width = width;
    const texts: string[] = [];
    const lines: string[] = [];
    for (const line of this.#page.lines) {
      for (const part of wrapLine(line, width - 1)) {
        texts.push(` ${part.head}${part.body}`);
        lines.push(` ${styled(line, part, this.#styles.colours)}`);
      }
    }
    this.#texts = texts;
    this.#lines = lines;
    this.#top = Math.round(share * lines.length);
  }
}

/** Options of {@link ChoiceList}. */
export interface ChoiceListOptions {
  readonly title: string;
  readonly items: readonly Choice[];
  readonly styles: Styles;
  /** Returns the number of items that are seen at once. */
  readonly maxVisible: () => number;
  /** Undefined: given up. */
  readonly chosen: (value: string | undefined) => void;
}

/** A list to choose from. What is typed narrows it. */
export class ChoiceList implements FrontPart {
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
      Math.max(0, ...found.slice(first, first + visible).map(({ label }) => columnsOf(printableLine(label)))),
    );
    const rows = found.slice(first, first + visible).map(({ label, detail = '' }, at) => {
      const isSelected = first + at === this.#selected;
      const name = cutLine(printableLine(label), detail === '' ? width - 3 : labelWidth);
      const padding = ' '.repeat(Math.max(0, labelWidth - columnsOf(name)));
      const rest = detail === '' ? '' : `${padding}  ${dim(cutLine(printableLine(detail), width - labelWidth - 5))}`;
      const shown = isSelected && isColorSupported ? inverse(name) : isSelected ? bold(name) : name;
      return cutLine(`${isSelected ? bold(' › ') : '   '}${shown}${rest}`, width);
    });
    const position = found.length > visible ? ` ${this.#selected + 1}/${found.length} ·` : '';
    const filter = this.#filter === '' ? 'type to narrow' : `“${this.#filter}”`;
    return [
      dim('─'.repeat(width)),
      ...wrapIndented(1, printableText(title), width).map((line) => bold(line)),
      ...(rows.length === 0 ? [dim('   nothing of that name')] : rows),
      dim(cutLine(`${position} ${filter} · ↑↓ · Enter chooses · Esc gives up`, width)),
    ];
  }

  handleInput(data: string): void {
    const found = this.#found();
    if (isKey(data, 'escape', 'ctrl+c')) return this.#options.chosen(undefined);
    if (isKey(data, 'enter')) {
      const { value } = found[this.#selected] ?? {};
      if (value !== undefined) this.#options.chosen(value);
    } else if (isKey(data, 'up')) this.#move(-1, found.length);
    else if (isKey(data, 'down', 'tab')) this.#move(1, found.length);
    else if (isKey(data, 'pageUp')) this.#selected = Math.max(0, this.#selected - this.#options.maxVisible());
    else if (isKey(data, 'pageDown'))
      this.#selected = Math.max(0, Math.min(found.length - 1, this.#selected + this.#options.maxVisible()));
    else if (isKey(data, 'backspace')) this.#narrow([...this.#filter].slice(0, -1).join(''));
    else if (data.charCodeAt(0) >= 32 && data.charCodeAt(0) !== 127 && !data.includes('\u001b'))
      this.#narrow(this.#filter + typedText(data));
    else if (isKey(data, 'space')) this.#narrow(`${this.#filter} `);
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

/** Options of {@link Question}. */
export interface QuestionOptions {
  readonly question: string;
  /** The beginning of the answer. @defaultValue nothing */
  readonly initial?: string | undefined;
  readonly styles: Styles;
  /** Undefined: given up. */
  readonly answered: (text: string | undefined) => void;
}

/** A line of text to answer with. */
export class Question implements FrontPart {
  readonly #options: QuestionOptions;
  readonly #input = new Input();

  constructor(options: QuestionOptions) {
    this.#options = options;
    this.#input.focused = true;
    if (options.initial !== undefined) this.#input.handleInput(pasted(options.initial));
  }

  render(width: number): readonly string[] {
    const { bold, dim } = this.#options.styles.colours;
    return [
      dim('─'.repeat(width)),
      ...wrapIndented(1, printableText(this.#options.question), width).map((line) => bold(line)),
      ...this.#input.render(width).map(withTerminalCursor),
      dim(cutLine(' Enter answers · Esc gives up', width)),
    ];
  }

  handleInput(data: string): void {
    if (isKey(data, 'escape', 'ctrl+c')) return this.#options.answered(undefined);
    if (isKey(data, 'enter')) return this.#options.answered(this.#input.getValue());
    // Its own paste drops control characters but keeps those that turn the direction of writing.
    this.#input.handleInput(data.startsWith(pasteStart) ? pasted(data) : data);
  }
}

/** A paste, or a text as one: the ends of lines are spaces, and other spaces stay. */
function pasted(paste: string): string {
  const text = paste.replace(pasteStart, '').replace(pasteEnd, '');
  return `${pasteStart}${printableText(text).replace(/\r?\n/g, ' ')}${pasteEnd}`;
}
