import type { CommandSurroundings } from '../command-surroundings.js';
import { openPlainMode } from '../plain/plain-mode.js';
import type { RunFlags } from '../run-flags.js';
import type { ListedSession } from '../sessions/session-list.js';
import { InteractiveSession } from './interactive-session.js';

/** Shows a session and takes what the user types until the session is closed. Resolves to the exit status. */
export type OpenScreen = (session: InteractiveSession) => Promise<number>;

/** Talks with the user: on the screen, or line by line. Resolves to the exit status. */
export async function interactiveCommand(
  session: ListedSession | undefined,
  flags: RunFlags,
  surroundings: CommandSurroundings,
): Promise<number> {
  return openPlainMode(new InteractiveSession({ session, flags, surroundings }));
}
