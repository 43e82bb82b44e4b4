import type { InteractiveSession } from '../session/interactive-session.js';

/** A line of a page. */
export interface PageLine {
  /** One line. Untrusted text is shown, not obeyed. */
  readonly text: string;
  /** @defaultValue 'plain' */
  readonly style?: 'plain' | 'dim' | 'strong' | 'hidden' | 'added' | 'removed';
  /** Unit: columns. @defaultValue 0 */
  readonly indent?: number;
}

/** Something long to read. */
export interface Page {
  readonly title: string;
  readonly lines: readonly PageLine[];
}

/** An item of a choice. */
export interface Choice {
  readonly label: string;
  readonly detail?: string;
  readonly value: string;
}

/** What a command sees of the place where it was typed: the screen, or the plain mode. */
export interface CommandScreen {
  readonly session: InteractiveSession;
  /** Shows a line or lines in the transcript, untrusted text included: it is shown, not obeyed. */
  say(text: string): void;
  /** Shows a page that can be scrolled; the plain mode prints it whole. Resolves when it is closed. */
  show(page: Page): Promise<void>;
  /** Has the user choose from a list. Undefined: given up. */
  choose(title: string, items: readonly Choice[]): Promise<string | undefined>;
  /** Asks for a line of text. Undefined: given up. */
  ask(question: string): Promise<string | undefined>;
  /** Puts text into the input line, to be edited and sent; the plain mode shows it. */
  edit(text: string): void;
}
