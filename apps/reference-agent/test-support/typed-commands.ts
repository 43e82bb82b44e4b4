import type { Choice, Page } from '../src/output/lines.js';
import type { CommandSurface } from '../src/commands/command.js';
import { runTypedCommand, typedCommand } from '../src/commands/index.js';
import type { InteractiveSession } from '../src/session/interactive-session.js';

/** A surface for typed commands, with the text that was shown on it. */
export interface TypedCommands {
  /** Types a command and waits for it. Resolves to what it said and showed, as text. */
  type(line: string): Promise<string>;
  readonly pages: readonly Page[];
  /** The lists that were shown to choose from. */
  readonly asked: readonly { readonly title: string; readonly items: readonly Choice[] }[];
  /** The text in the input line. */
  readonly input: string;
  /** How the next list is answered: the first item whose label or value fits, or nothing. */
  answer(...wanted: readonly (string | undefined)[]): void;
}

/** A surface without a terminal. Its methods need it, as those of the screen do. */
class Typed implements CommandSurface {
  readonly session: InteractiveSession;
  readonly pages: Page[] = [];
  readonly asked: { readonly title: string; readonly items: readonly Choice[] }[] = [];
  readonly answers: (string | undefined)[] = [];
  readonly said: string[] = [];
  input = '';

  constructor(session: InteractiveSession) {
    this.session = session;
  }

  say(text: string): void {
    this.said.push(text);
  }

  async show(page: Page): Promise<void> {
    this.pages.push(page);
    this.say([page.title, ...page.lines.map(({ text, indent = 0 }) => `${' '.repeat(indent)}${text}`)].join('\n'));
  }

  async choose(title: string, items: readonly Choice[]): Promise<string | undefined> {
    this.asked.push({ title, items });
    const wanted = this.answers.shift();
    const fits = ({ value, label }: Choice) => value === wanted || (wanted !== undefined && label.includes(wanted));
    return items.find(fits)?.value;
  }

  async ask(): Promise<string | undefined> {
    return undefined;
  }

  edit(text: string): void {
    this.input = text;
  }
}

/** Returns a place where commands are typed, and what they say is kept. */
export function typedCommands(session: InteractiveSession): TypedCommands {
  const surface = new Typed(session);
  return {
    pages: surface.pages,
    asked: surface.asked,
    get input() {
      return surface.input;
    },
    answer: (...wanted) => void surface.answers.push(...wanted),
    async type(line) {
      surface.said.length = 0;
      const command = typedCommand(line);
      if (command === undefined) throw new Error(`'${line}' is no command.`);
      await runTypedCommand(command, surface);
      return surface.said.join('\n');
    },
  };
}
