import type { Choice, Page } from '../src/output/lines.js';
import type { CommandSurface } from '../src/commands/command.js';
import { runTypedCommand, typedCommand } from '../src/commands/index.js';
import type { InteractiveSession } from '../src/interactive/interactive-session.js';

/** What stands on the place where commands are typed. */
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

/** A screen without a terminal: commands are typed, and what they say is kept. */
export function typedCommands(session: InteractiveSession): TypedCommands {
  const pages: Page[] = [];
  const asked: { readonly title: string; readonly items: readonly Choice[] }[] = [];
  const answers: (string | undefined)[] = [];
  const said: string[] = [];
  let input = '';
  const screen: CommandSurface = {
    session,
    say: (text) => void said.push(text),
    show: (page) => {
      pages.push(page);
      said.push([page.title, ...page.lines.map(({ text, indent = 0 }) => `${' '.repeat(indent)}${text}`)].join('\n'));
      return Promise.resolve();
    },
    choose: (title, items) => {
      asked.push({ title, items });
      const wanted = answers.shift();
      const found = items.find(
        ({ value, label }) => value === wanted || (wanted !== undefined && label.includes(wanted)),
      );
      return Promise.resolve(found?.value);
    },
    ask: () => Promise.resolve(undefined),
    edit: (text) => void (input = text),
  };
  return {
    pages,
    asked,
    get input() {
      return input;
    },
    answer: (...wanted) => void answers.push(...wanted),
    async type(line) {
      said.length = 0;
      const command = typedCommand(line);
      if (command === undefined) throw new Error(`'${line}' is no command.`);
      await runTypedCommand(command, screen);
      return said.join('\n');
    },
  };
}
