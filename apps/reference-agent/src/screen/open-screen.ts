import type { ReadStream, WriteStream } from 'node:tty';
import { coloursFor } from '@palimpsest/terminal';
import { exitStatus } from '../context.js';
import type { InteractiveSession } from '../session/interactive-session.js';
import { stylesOf, cutLine, printableLine } from './layout.js';
import type { Styles } from './layout.js';
import { Screen } from './screen.js';
import type { Figures } from './screen.js';
import { ProcessTerminal } from './terminal.js';

/**
 * Shows a session on the whole terminal until it is closed, and leaves the terminal as it was. Resolves to the exit status. The first
 * frame is there before the agent is loaded; what is typed meanwhile is kept.
 */
export async function openScreen(session: InteractiveSession): Promise<number> {
  const { stdin, stdout, stderr, env, interrupts } = session.surroundings;
  const styles = stylesOf(coloursFor(stdout, env));
  const terminal = new ProcessTerminal({
    stdin: stdin as unknown as ReadStream,
    stdout: stdout as unknown as WriteStream,
    stderr: stderr as unknown as WriteStream,
    onStrayLine: (line) => screen.notice('info', line),
  });
  let figures = (): Figures => ({});
  let remember = (_: string): void => undefined;
  const screen = new Screen({
    terminal,
    styles,
    session,
    figures: () => figures(),
    submitted: (text) => {
      remember(text);
      void submit(text, screen);
    },
    suspend,
  });
  const closed = new Promise<void>((resolve) => {
    session.observe(({ ...event }) => {
      if (event.type === 'state' && event.state.type === 'closed') resolve();
    });
  });
  const closeSession = (): void => void session.close();
  interrupts.signal.addEventListener('abort', closeSession, { once: true });
  screen.open();
  try {
    // The frame is drawn before anything heavy is loaded.
    await new Promise((resolve) => setTimeout(resolve, 20));
    const { statusFigures } = await import('./status-figures.js');
    figures = statusFigures(session, () => screen.requestRender());
    // Before the session is ready: what is typed then is completed.
    remember = await (await import('./completion.js')).promptHelp(screen);
    await session.start();
    await closed;
  } finally {
    interrupts.signal.removeEventListener('abort', closeSession);
    await session.close();
    await screen.close();
  }
  for (const line of exitSummary(screen, stdout.columns ?? 80, styles)) stdout.write(`${line}\n`);
  return interrupts.signal.aborted ? interrupts.exitStatus : exitStatus.done;
}

/** A command, or a message to the model. */
async function submit(text: string, screen: Screen): Promise<void> {
  const { typedCommand, runTypedCommand } = await import('../commands/index.js');
  const command = typedCommand(text);
  if (command === undefined) screen.session.send(text);
  else await runTypedCommand(command, screen);
  screen.requestRender();
}

/** Stops this process, as Ctrl-Z does in a shell, until it is brought back. Where nobody can bring it back it is not stopped. */
async function suspend(): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, 300);
    function done(): void {
      clearTimeout(timer);
      process.off('SIGCONT', done);
      resolve();
    }
    process.on('SIGCONT', done);
    process.kill(process.pid, 'SIGTSTP');
  });
}

/** The lines of the transcript that stay on the terminal. */
const maxLines = 40;

/** Returns the lines that stay on the terminal when the screen is gone: the end of the transcript, and how to go on. Unit of `width`: columns. */
function exitSummary({ transcript, sessionId: id }: Screen, width: number, { colours }: Styles): readonly string[] {
  if (id === undefined) return [];
  transcript.leaveFocus();
  const resume = `palimpsest resume ${printableLine(id)}`;
  return [
    ...transcript.render(width, maxLines),
    '',
    colours.dim(cutLine(`This session goes on with: ${resume}`, width)),
  ];
}
