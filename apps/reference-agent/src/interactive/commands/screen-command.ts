import type { CommandScreen } from '../command-screen.js';

/** A command that is typed with a slash. */
export interface ScreenCommand {
  /** Without the slash. */
  readonly name: string;
  /** The argument, as the help shows it: `[focus]`. Empty if there is none. */
  readonly usage: string;
  /** One line. */
  readonly description: string;
  /** Whether it may be called while the agent works. */
  readonly whileRunning: boolean;
  /**
   * Does it. Errors of `PalimpsestError` are told to the user by the caller.
   *
   * @param argument - what stands behind the name, without blanks around it
   */
  run(argument: string, screen: CommandScreen): Promise<void> | void;
}
