import { addressOf } from '@palimpsest/events';
import type { InteractiveSession } from '../session/interactive-session.js';
import type { OpenedSession } from '../session/open-session.js';
import type { Choice, Page } from '../output/lines.js';
import { UsageError } from '../context.js';

/** A command that is typed with a slash. */
export interface SlashCommand extends CommandBody {
  /** Without the slash. */
  readonly name: string;
  /** Another name by which it can be called. */
  readonly alias?: string;
  /** The argument, as the help shows it: `[focus]`. Empty if there is none. */
  readonly usage: string;
  /** One line. */
  readonly description: string;
  /** True: it may be called while the agent works. */
  readonly whileRunning: boolean;
}

/** The work of a command. It is loaded when the command is called. */
export interface CommandBody {
  /** Returns the possible arguments, from the part that was typed. @defaultValue nothing is offered */
  complete?(argument: string, session: InteractiveSession): readonly Choice[] | Promise<readonly Choice[]>;
  /**
   * Does it. The caller shows an error of `PalimpsestError` to the user.
   *
   * @param argument - what follows the name, without blanks around it
   */
  run(argument: string, surface: CommandSurface): Promise<void> | void;
}

/** The place where a command was typed: the surface, or the plain mode. */
export interface CommandSurface {
  readonly session: InteractiveSession;
  /** Shows a line or lines in the transcript, untrusted text included: it is shown, not obeyed. */
  say(text: string): void;
  /** Shows a page that can be scrolled; the plain mode prints it whole. Resolves when it is closed. */
  show(page: Page): Promise<void>;
  /** Has the user choose from a list. Undefined: given up. */
  choose(title: string, items: readonly Choice[]): Promise<string | undefined>;
  /** Requests a line of text from the user. Undefined: given up. */
  ask(question: string): Promise<string | undefined>;
  /** Puts text into the input line, to be edited and sent; the plain mode shows it. */
  edit(text: string): void;
}

/** Returns the open session. @throws {@link UsageError} when none is open. */
export function requireOpenSession({ opened, state }: InteractiveSession): OpenedSession {
  if (opened !== undefined) return opened;
  const why = state.type === 'opening' ? 'It is being opened.' : state.type === 'unusable' ? state.problem : '';
  throw new UsageError(`No session is open. ${why}`.trim());
}

/** Returns choices of events with their addresses for values, which is what completion puts into the line. */
export function addressed(choices: readonly Choice[]): readonly Choice[] {
  return choices.map((choice) => ({ ...choice, value: addressOf(choice.value) }));
}

/** Returns the id of the choice that a person names by its address or the beginning of it. @throws {@link UsageError} */
export function namedChoice(name: string, choices: readonly Choice[]): string {
  if (name === 'last' && choices[0] !== undefined) return choices[0].value;
  const found = choices.filter(({ value }) => value.startsWith(name) || addressOf(value).startsWith(name));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only.value;
  throw new UsageError(
    only === undefined
      ? `No entry has the address '${name}'. Without an argument, the command shows a list.`
      : `${found.length} begin with '${name}': give more of it.`,
  );
}
