import { matchesKey } from '@mariozechner/pi-tui';
import type { Page, Line } from '../output/lines.js';
import { cutLine, harmless, harmlessLine, padLine, typedText, wrapped } from './shown-width.js';
import type { Styles } from './styles.js';
import type { View } from './view.js';

/** Words before lines that a colour sets apart from others. */
const marks: Readonly<Partial<Record<NonNullable<Line['style']>, string>>> = {
  added: '+ ',
  removed: '- ',
  hidden: '░ ',
};

/** A page over the whole screen, to scroll and to search. */
export class Pager implements View {
  readonly #page: Page;
  readonly #styles: Styles;
  readonly #close: () => void;
  readonly #rows: () => number;
  #top = 0;
  #width = 0;
  #lines: readonly string[] = [];
  /** As they are shown, without colours, to be searched. */
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
    const title = ` ${cutLine(harmlessLine(this.#page.title), width - 2)} `;
    return [bold(inverse(padLine(title, width))), ...body, cutLine(this.#footer(height), width)];
  }

  handleInput(data: string): void {
    if (this.#isTyping) return this.#typed(data);
    const height = this.#height();
    const is = (...keys: Parameters<typeof matchesKey>[1][]): boolean => keys.some((key) => matchesKey(data, key));
    if (is('q', 'escape', 'ctrl+c')) return this.#close();
    if (is('up', 'k')) this.#top -= 1;
    else if (is('down', 'j', 'enter')) this.#top += 1;
    else if (is('pageUp', 'b', 'ctrl+b')) this.#top -= height - 1;
    else if (is('pageDown', 'space', 'f', 'ctrl+f')) this.#top += height - 1;
    else if (is('ctrl+u')) this.#top -= Math.ceil(height / 2);
    else if (is('ctrl+d')) this.#top += Math.ceil(height / 2);
    else if (is('g', 'home')) this.#top = 0;
    else if (is('shift+g', 'end') || data === 'G') this.#top = this.#lines.length;
    else if (data === '/') [this.#isTyping, this.#query] = [true, ''];
    else if (is('n')) this.#find(this.#top + 1, 1);
    else if (is('shift+n') || data === 'N') this.#find(this.#top - 1, -1);
  }

  scroll(lines: number): void {
    this.#top += lines;
  }

  #typed(data: string): void {
    if (matchesKey(data, 'enter')) {
      this.#isTyping = false;
      this.#find(this.#top, 1);
    } else if (matchesKey(data, 'escape') || matchesKey(data, 'ctrl+c')) {
      [this.#isTyping, this.#query] = [false, undefined];
    } else if (matchesKey(data, 'backspace')) {
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
    for (const { text, style = 'plain', indent = 0 } of this.#page.lines) {
      const before = ' '.repeat(Math.min(indent, Math.floor(width / 2)) + 1);
      const mark = marks[style] ?? '';
      for (const part of wrapped(harmless(text), width - before.length - mark.length)) {
        texts.push(`${before}${mark}${part}`);
        lines.push(`${before}${this.#styled(style, mark + part)}`);
      }
    }
    this.#texts = texts;
    this.#lines = lines;
    this.#top = Math.round(share * lines.length);
  }

  #styled(style: NonNullable<Line['style']>, text: string): string {
    const { dim, bold, green, red, yellow } = this.#styles.colours;
    switch (style) {
      case 'plain':
        return text;
      case 'dim':
      case 'hidden':
        return dim(text);
      case 'strong':
        return bold(text);
      case 'added':
        return green(text);
      case 'removed':
        return red(text);
      case 'problem':
        return yellow(text);
    }
  }
}
