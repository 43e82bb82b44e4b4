import { addAbortSignal } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { printableLine } from '@palimpsest/terminal';
import { exitStatus, UsageError } from '../context.js';
import type { CliContext, RunFlags } from '../context.js';
import type { InteractiveSession } from '../session/interactive-session.js';
import { sessionNamed } from '../session/session.js';
import type { ListedSession } from '../session/session.js';
import type { headlessRun as HeadlessRun } from './headless.js';

/**
 * Runs `palimpsest`: talks with the user, if standard input is a terminal. `palimpsest -p "…"`: works on a task in a
 * new session, or with `--continue` in the last one of the folder. Resolves to the exit status.
 *
 * @param help - prints the help, if there is nothing to do
 * @throws {@link PalimpsestError} when the run cannot begin.
 */
export async function runCommand(
  flags: RunFlags & { readonly continue?: boolean },
  context: CliContext,
  help: () => void,
): Promise<number> {
  if (flags.continue === true) return resumeCommand(undefined, flags, context);
  if (isInteractive(flags, context)) return interact(undefined, flags, context);
  const task = await taskFrom(flags, context);
  if (task === 'interrupted') return context.interrupts.exitStatus;
  if (task !== 'none') return runWithoutScreen({ task: task.words }, flags, context);
  if (flags.print !== undefined) throw new UsageError('The task is empty.');
  help();
  context.stderr.write('\npalimpsest: there is no task: give one with -p "…", or on standard input.\n');
  return exitStatus.wrongInput;
}

/**
 * Runs `palimpsest resume [id]`: goes on with a session, interactively if there is no task and a terminal. Resolves to
 * the exit status.
 *
 * @throws as {@link runCommand} does.
 */
export async function resumeCommand(id: string | undefined, flags: RunFlags, context: CliContext): Promise<number> {
  const session = await sessionNamed(id, flags.cwd, context);
  if (isInteractive(flags, context)) return interact(session, flags, context);
  // Without a task the session goes on where it ended. Standard input may be open, and nobody writes.
  if (flags.print === undefined && flags.stdin !== true) return runWithoutScreen({ session }, flags, context);
  const task = await taskFrom(flags, context);
  if (task === 'interrupted') return context.interrupts.exitStatus;
  if (task === 'none') throw new UsageError('The task is empty.');
  return runWithoutScreen({ session, task: task.words }, flags, context);
}

/** True if somebody sits at a terminal and gave no task. Formats for programs are never interactive. */
function isInteractive({ print, stdin: isAsked, outputFormat }: RunFlags, { stdin }: CliContext): boolean {
  return print === undefined && isAsked !== true && outputFormat === 'text' && stdin.isTTY === true;
}

/** Loads the agent. A screen is there before it is. */
async function runWithoutScreen(...args: Parameters<typeof HeadlessRun>): Promise<number> {
  const { headlessRun } = await import('./headless.js');
  return headlessRun(...args);
}

/**
 * A function that shows a session and takes what the user types until the session is closed. Resolves to the exit
 * status.
 */
export type OpenScreen = (session: InteractiveSession) => Promise<number>;

/** Talks with the user, on the screen or line by line. Loads what only that needs. Resolves to the exit status. */
export async function interact(
  session: ListedSession | undefined,
  flags: RunFlags,
  context: CliContext,
): Promise<number> {
  const [{ InteractiveSession }, open] = await Promise.all([
    import('../session/interactive-session.js'),
    isForScreen(flags, context) ? loadScreen() : loadPlainMode(),
  ]);
  return open(new InteractiveSession({ session, flags, surroundings: context }));
}

/** True for a terminal that can be drawn on, and a user who did not ask for lines. */
function isForScreen({ plain }: RunFlags, { stdin, stdout, env }: CliContext): boolean {
  return plain !== true && stdin.isTTY === true && stdout.isTTY === true && env['TERM'] !== 'dumb';
}

async function loadScreen(): Promise<OpenScreen> {
  return (await import('../screen/open-screen.js')).openScreen;
}

async function loadPlainMode(): Promise<OpenScreen> {
  return (await import('../plain/plain-mode.js')).openPlainMode;
}

/** The task of a command. */
export type Task = { readonly words: string } | 'none' | 'interrupted';

type TaskContext = Pick<CliContext, 'stdin' | 'stderr' | 'interrupts' | 'waits'>;

/** The longest wait for the first byte of standard input behind a task that is complete without. Unit: milliseconds. */
const defaultWaitMs = 3_000;
/** No model reads more. Unit: characters. */
const mostInput = 10_000_000;

/**
 * Reads the task of a run: standard input for `-p -` and, unless it is a terminal, without `-p`; otherwise the words of `-p`, and behind them
 * standard input, if its first byte comes in time or `--stdin` waits for it. `interrupted`: the command was interrupted while it read.
 *
 * @throws {@link UsageError} when standard input is longer than any model reads.
 */
export async function taskFrom(
  { print, stdin: isAsked = false }: Pick<RunFlags, 'print' | 'stdin'>,
  context: TaskContext,
): Promise<Task> {
  const { stdin, interrupts } = context;
  const isTerminal = stdin.isTTY === true;
  if (print !== undefined && print !== '-' && print.trim() === '') return 'none';
  try {
    if (print === undefined || print === '-') {
      const isRead = print === '-' || !isTerminal || isAsked;
      return taskOf(isRead ? await wholeInput(piecesOf(context)) : '');
    }
    if (isAsked) return taskOf(print, await wholeInput(piecesOf(context)));
    return taskOf(print, isTerminal ? '' : await inputInTime(context));
  } catch (error) {
    if (interrupts.signal.aborted) return 'interrupted';
    throw error;
  }
}

function taskOf(words: string, input = ''): Task {
  if (words.trim() === '') return 'none';
  return { words: input.trim() === '' ? words : `${words}\n\n<stdin>\n${input.replace(/\n$/, '')}\n</stdin>` };
}

function piecesOf({ stdin, interrupts }: Pick<TaskContext, 'stdin' | 'interrupts'>): AsyncIterator<string> {
  return addAbortSignal(interrupts.signal, stdin).setEncoding('utf8')[Symbol.asyncIterator]() as AsyncIterator<string>;
}

async function wholeInput(pieces: AsyncIterator<string>, first = pieces.next()): Promise<string> {
  let whole = '';
  for (let piece = await first; piece.done !== true; piece = await pieces.next()) {
    whole += piece.value;
    if (whole.length <= mostInput) continue;
    await pieces.return?.();
    throw new UsageError(
      `Standard input is longer than ${mostInput.toLocaleString('en')} characters, which no model reads. Put it into a file, and name the file in the task.`,
    );
  }
  return whole.replace(/^\ufeff/, '');
}

/**
 * Standard input as a whole, if its first byte comes in time. Otherwise it is closed, and that is told: it may be open, and nobody
 * writes.
 */
async function inputInTime(context: TaskContext): Promise<string> {
  const { stdin, stderr, interrupts, waits = {} } = context;
  const { signal } = interrupts;
  const { stdinMs = defaultWaitMs } = waits;
  const goOn = (why: string): string => {
    stderr.write(`palimpsest: ${printableLine(why)}\n`);
    return '';
  };
  const pieces = piecesOf(context);
  const first = pieces.next();
  const timer = new AbortController();
  const late = delay(stdinMs, 'late' as const, { signal: timer.signal }).catch(() => 'late' as const);
  try {
    if ((await Promise.race([first, late])) === 'late') {
      first.catch(() => undefined);
      stdin.destroy();
      return goOn(
        `nothing came on standard input within ${stdinMs / 1_000} s: going on without it. --stdin waits for it.`,
      );
    }
  } catch (error) {
    signal.throwIfAborted();
    return goOn(`standard input cannot be read, going on without it: ${(error as Error).message}`);
  } finally {
    timer.abort();
  }
  return wholeInput(pieces, first);
}
