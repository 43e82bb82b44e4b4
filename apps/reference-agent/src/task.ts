import { addAbortSignal } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { onOneLine } from '@palimpsest/terminal';
import { UsageError } from './context.js';
import type { CliContext, RunFlags } from './context.js';

/** What a command is to work on. */
export type Task = { readonly words: string } | 'none' | 'interrupted';

type Surroundings = Pick<CliContext, 'stdin' | 'stderr' | 'interrupts' | 'waits'>;

/** The longest wait for the first byte of standard input behind a task that is complete without. Unit: milliseconds. */
const defaultWaitMs = 3_000;
/** No model reads more. Unit: characters. */
const mostInput = 10_000_000;

/**
 * The task of a run: standard input for `-p -` and, unless it is a terminal, without `-p`; otherwise the words of `-p`, and behind them
 * standard input, if its first byte comes in time or `--stdin` waits for it. `interrupted`: the command was interrupted while it read.
 *
 * @throws {@link UsageError} when standard input is longer than any model reads.
 */
export async function taskFrom(
  { print, stdin: isAsked = false }: Pick<RunFlags, 'print' | 'stdin'>,
  surroundings: Surroundings,
): Promise<Task> {
  const { stdin, interrupts } = surroundings;
  const isTerminal = stdin.isTTY === true;
  if (print !== undefined && print !== '-' && print.trim() === '') return 'none';
  try {
    if (print === undefined || print === '-') {
      const isRead = print === '-' || !isTerminal || isAsked;
      return taskOf(isRead ? await wholeInput(piecesOf(surroundings)) : '');
    }
    if (isAsked) return taskOf(print, await wholeInput(piecesOf(surroundings)));
    return taskOf(print, isTerminal ? '' : await inputInTime(surroundings));
  } catch (error) {
    if (interrupts.signal.aborted) return 'interrupted';
    throw error;
  }
}

function taskOf(words: string, input = ''): Task {
  if (words.trim() === '') return 'none';
  return { words: input.trim() === '' ? words : `${words}\n\n<stdin>\n${input.replace(/\n$/, '')}\n</stdin>` };
}

function piecesOf({ stdin, interrupts }: Pick<Surroundings, 'stdin' | 'interrupts'>): AsyncIterator<string> {
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
async function inputInTime(surroundings: Surroundings): Promise<string> {
  const { stdin, stderr, interrupts, waits = {} } = surroundings;
  const { signal } = interrupts;
  const { stdinMs = defaultWaitMs } = waits;
  const goOn = (why: string): string => {
    stderr.write(`palimpsest: ${onOneLine(why)}\n`);
    return '';
  };
  const pieces = piecesOf(surroundings);
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
