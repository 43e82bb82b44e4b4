import type { CliContext, RunFlags } from '../context.js';
import type { ListedSession } from '../sessions/session-list.js';
import { InteractiveSession } from './interactive-session.js';

/** Shows a session and takes what the user types until the session is closed. Resolves to the exit status. */
export type OpenScreen = (session: InteractiveSession) => Promise<number>;

/** Talks with the user: on the screen, or line by line. Resolves to the exit status. */
export async function interactiveCommand(
  session: ListedSession | undefined,
  flags: RunFlags,
  surroundings: CliContext,
): Promise<number> {
  const open = isForScreen(flags, surroundings) ? await loadScreen() : await loadPlainMode();
  return open(new InteractiveSession({ session, flags, surroundings }));
}

/** A terminal that can be drawn on, and a user who did not ask for lines. */
function isForScreen({ plain }: RunFlags, { stdin, stdout, env }: CliContext): boolean {
  return plain !== true && stdin.isTTY === true && stdout.isTTY === true && env['TERM'] !== 'dumb';
}

async function loadScreen(): Promise<OpenScreen> {
  return (await import('../screen/open-screen.js')).openScreen;
}

async function loadPlainMode(): Promise<OpenScreen> {
  return (await import('../plain/plain-mode.js')).openPlainMode;
}
