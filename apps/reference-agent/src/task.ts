import { addAbortSignal } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { onOneLine } from '@palimpsest/terminal';
import type { CommandSurroundings } from './command-surroundings.js';
import type { RunFlags } from './run-flags.js';

/** What a command is to work on. */
export type Task = { readonly words: string } | 'none' | 'interrupted';

type Surroundings = Pick<CommandSurroundings, 'stdin' | 'stderr' | 'interrupts' | 'waits'>;

/** How long the first byte of standard input is waited for behind a task that is complete without. Unit: milliseconds. */
const defaultWaitMs = 3_000;

/**
 * The task of a run: standard input for `-p -` and, unless it is a terminal, without `-p`; otherwise the words of `-p`, and behind them
 * standard input, if its first byte comes in time or `--stdin` waits for it. `interrupted`: the command was interrupted while it read.
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
      return taskOf(isRead ? await text(addAbortSignal(interrupts.signal, stdin)) : '');
    }
    if (isAsked) return taskOf(print, await text(addAbortSignal(interrupts.signal, stdin)));
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

/**
 * Standard input as a whole, if its first byte comes in time. Otherwise it is closed, and that is told: it may be open, and nobody
 * writes.
 */
async function inputInTime({ stdin, stderr, interrupts, waits = {} }: Surroundings): Promise<string> {
  const { signal } = interrupts;
  const { stdinMs = defaultWaitMs } = waits;
  const goOn = (why: string): string => {
    stderr.write(`palimpsest: ${onOneLine(why)}\n`);
    return '';
  };
  const pieces = addAbortSignal(signal, stdin).setEncoding('utf8')[Symbol.asyncIterator]() as AsyncIterator<string>;
  const first = pieces.next();
  const timer = new AbortController();
  const late = delay(stdinMs, 'late' as const, { signal: timer.signal }).catch(() => 'late' as const);
  let whole = '';
  try {
    let piece = await Promise.race([first, late]);
    if (piece === 'late') {
      first.catch(() => undefined);
      stdin.destroy();
      return goOn(
        `nothing came on standard input within ${stdinMs / 1_000} s: going on without it. --stdin waits for it.`,
      );
    }
    for (; piece.done !== true; piece = await pieces.next()) whole += piece.value;
    return whole;
  } catch (error) {
    signal.throwIfAborted();
    if (whole !== '') throw error;
    return goOn(`standard input cannot be read, going on without it: ${(error as Error).message}`);
  } finally {
    timer.abort();
  }
}
