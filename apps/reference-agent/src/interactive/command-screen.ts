import type { Choice, Page } from '../output/lines.js';
import type { InteractiveSession } from './interactive-session.js';

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
