import { CURSOR_MARKER, Input, matchesKey } from '@mariozechner/pi-tui';
import { cutLine, harmless, wrappedBehind } from './shown-width.js';
import type { Styles } from './styles.js';
import type { View } from './view.js';

/** Options of {@link Question}. */
export interface QuestionOptions {
  readonly question: string;
  /** What the answer begins with. @defaultValue nothing */
  readonly initial?: string;
  readonly styles: Styles;
  /** Undefined: given up. */
  readonly answered: (text: string | undefined) => void;
}

/** A line of text to answer with. */
export class Question implements View {
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
      ...wrappedBehind(1, harmless(this.#options.question), width).map((line) => bold(line)),
      // The terminal's own cursor stands there: both at once would cancel each other.
      ...this.#input.render(width).map((line) => line.replace(`${CURSOR_MARKER}\u001b[7m`, CURSOR_MARKER)),
      dim(cutLine(' Enter answers · Esc gives up', width)),
    ];
  }

  handleInput(data: string): void {
    if (matchesKey(data, 'escape') || matchesKey(data, 'ctrl+c')) return this.#options.answered(undefined);
    if (matchesKey(data, 'enter')) return this.#options.answered(this.#input.getValue());
    // Its own paste drops control characters but keeps those that turn the direction of writing.
    this.#input.handleInput(data.startsWith(pasteStart) ? pasted(data) : data);
  }
}

const pasteStart = '\u001b[200~';
const pasteEnd = '\u001b[201~';

/** A paste, or a text as one: the ends of lines are spaces, and other spaces stay. */
function pasted(paste: string): string {
  const text = paste.replace(pasteStart, '').replace(pasteEnd, '');
  return `${pasteStart}${harmless(text).replace(/\r?\n/g, ' ')}${pasteEnd}`;
}
