import { Editor, matchesKey } from '@mariozechner/pi-tui';
import type { TUI } from '@mariozechner/pi-tui';
import { printableWithTabs } from '../output/lines.js';
import { pasteEnd, pasteStart, withTerminalCursor } from './layout.js';
import type { Styles } from './layout.js';

/** A paste of more is a marker in the input line, and is sent whole. Units: lines, characters. */
const maxInlineLines = 10;
const maxInlineCharacters = 1_000;
/** A longer text is not kept for ↑. Unit: characters. */
const maxRemembered = 20_000;

/** The fields of the editor that a paste of our own needs. They are private in its types, and the version is pinned. */
interface PasteFields {
  readonly pastes: Map<number, string>;
  pasteCounter: number;
}

/**
 * The input line. It is pi-tui's editor with another treatment of pastes: that of the library turns tabs into spaces in what is sent,
 * drops control characters without a word, and lets those of eight bits and those that turn the direction of writing pass.
 */
export class PromptEditor extends Editor {
  /** The commands that there are, without the slash. A name that could be several of them is completed by Enter, and not run. */
  commandNames: readonly string[] = [];
  /** An arrow has chosen from what is offered. */
  #hasChosen = false;

  constructor(tui: TUI, { editor }: Styles) {
    super(tui, editor, { paddingX: 1, autocompleteMaxVisible: 8 });
    this.focused = true;
  }

  override handleInput(data: string): void {
    if (data.startsWith(pasteStart)) return this.#paste(data.slice(pasteStart.length).replace(pasteEnd, ''));
    if (this.isShowingAutocomplete() && matchesKey(data, 'enter') && !this.#hasChosen) {
      // Enter sends what was typed: `/unpin all` must not become another pin because one is offered.
      if (this.#isArgument() || this.#nameFits() === 'whole') super.handleInput('\u001b');
      // The first command of the list is one that nobody has named: it is put into the line, and not run.
      else if (this.#nameFits() === 'several') return super.handleInput('\t');
    }
    this.#hasChosen = this.isShowingAutocomplete() && (matchesKey(data, 'up') || matchesKey(data, 'down'));
    // What is typed is text, but for keys: escapes, and the control characters of seven bits.
    const isText = data.length > 0 && data.charCodeAt(0) >= 0x20 && data !== '\u007f';
    super.handleInput(isText ? visible(data) : data);
  }

  override addToHistory(text: string): void {
    if (text.length <= maxRemembered) super.addToHistory(text);
  }

  override render(width: number): string[] {
    return super.render(width).map(withTerminalCursor);
  }

  /** Puts a text in place of what there is. The cursor stands at its end. */
  replaceText(text: string): void {
    this.setText('');
    this.#paste(text);
  }

  /** The argument of a command is typed, and no name of a file. */
  #isArgument(): boolean {
    const text = this.getText();
    return /^\s*\/[a-z][a-z-]*\s/.test(text) && !/(?:^|\s)@\S*$/.test(text);
  }

  /** Returns the fit of the typed name: it is a command, or begins one or several. Undefined if none is being typed. */
  #nameFits(): 'whole' | 'one' | 'several' | undefined {
    const name = /^\s*\/([a-z-]*)$/.exec(this.getText())?.[1];
    if (name === undefined) return undefined;
    if (this.commandNames.includes(name)) return 'whole';
    return this.commandNames.filter((each) => each.startsWith(name)).length === 1 ? 'one' : 'several';
  }

  #paste(pasted: string): void {
    const text = visible(pasted.replace(/\r\n?/g, '\n'));
    const lines = text.split('\n').length;
    const keepsTabs = text.includes('\t') && lines > 1;
    if (lines <= maxInlineLines && text.length <= maxInlineCharacters && !keepsTabs) {
      if (text !== '') this.insertTextAtCursor(text.replaceAll('\t', '    '));
      return;
    }
    const fields = this as unknown as PasteFields;
    fields.pasteCounter += 1;
    fields.pastes.set(fields.pasteCounter, text);
    const size = lines > maxInlineLines || keepsTabs ? `+${lines} lines` : `${text.length} chars`;
    this.insertTextAtCursor(`[paste #${fields.pasteCounter} ${size}]`);
  }
}

/** Control characters as they are shown; tabs and the ends of lines stay. */
function visible(text: string): string {
  return printableWithTabs(text.toWellFormed());
}
