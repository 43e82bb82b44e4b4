import type { Choice } from '../../output/lines.js';
import type { CommandScreen } from '../command-screen.js';
import type { InteractiveSession } from '../interactive-session.js';

/** A command that is typed with a slash. */
export interface ScreenCommand extends CommandWork {
  /** Without the slash. */
  readonly name: string;
  /** The argument, as the help shows it: `[focus]`. Empty if there is none. */
  readonly usage: string;
  /** One line. */
  readonly description: string;
  /** Whether it may be called while the agent works. */
  readonly whileRunning: boolean;
}

/** What a command does. */
export interface CommandWork {
  /**
   * What the argument may be, from what was typed of it. @defaultValue nothing is offered
   */
  complete?(argument: string, session: InteractiveSession): readonly Choice[] | Promise<readonly Choice[]>;
  /**
   * Does it. Errors of `PalimpsestError` are told to the user by the caller.
   *
   * @param argument - what stands behind the name, without blanks around it
   */
  run(argument: string, screen: CommandScreen): Promise<void> | void;
}
