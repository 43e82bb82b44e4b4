import { frameFaults } from './frame-faults.js';
import type { Terminal } from './terminal.js';

/** What the status line begins with: the state of the session. */
const status =
  /^ (?:[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] )?(opening|not usable|ready|thinking|answering|running tools|trying again|condensing|interrupting|waits for your yes|closed)(?=: waits for| \d| ·|$)/;

/**
 * Returns the state of the session, as the screen says it; undefined if it does not, as behind a page. A frame that was drawn while the size
 * changed may stand above the newest.
 */
export function shownState(terminal: Terminal): string | undefined {
  return terminal
    .screen()
    .flatMap((line) => status.exec(line)?.[1] ?? [])
    .at(-1);
}

/** Resolves when the session is in this state and, if given, the text is on the screen. */
export async function waitForState(terminal: Terminal, state: string, text = ''): Promise<void> {
  const wanted = () => {
    const screen = terminal.screen().join('\n');
    // A call that has just come is not answered by a key.
    return shownState(terminal) === state && screen.includes(text) && !screen.includes('keys answer in a moment');
  };
  await terminal.waitFor(Object.assign(wanted, { toString: () => `state '${state}' with '${text}'` }));
}

/** Types a message or a command and sends it, when the session can take it. */
export async function say(terminal: Terminal, text: string): Promise<void> {
  await terminal.waitFor(() => (shownState(terminal) ?? 'opening') !== 'opening');
  terminal.type(text);
  terminal.press('Enter');
}

/** Returns the faults of the screens that a reader saw. The screen has one status line, or is a page with none. */
export function screenFaults(terminal: Terminal): readonly string[] {
  return frameFaults(terminal.frames, (lines) => {
    const count = lines.filter((line) => status.test(line)).length;
    const isPage = / q closes | Enter finds,/.test(lines.at(-1) ?? '');
    return count === (isPage ? 0 : 1) ? undefined : `there are ${count} status lines`;
  });
}
