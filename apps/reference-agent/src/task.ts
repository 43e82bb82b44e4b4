import { addAbortSignal } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { CommandSurroundings } from './command-surroundings.js';

/** What a command is to work on. */
export type Task = { readonly words: string } | 'none' | 'interrupted';

/**
 * The task of a run: the words of `-p`, or standard input for `-p -` and, unless it is a terminal, without `-p`. `interrupted`:
 * the command was interrupted while it read.
 */
export async function taskFrom(
  print: string | undefined,
  { stdin, interrupts }: Pick<CommandSurroundings, 'stdin' | 'interrupts'>,
): Promise<Task> {
  const isRead = print === '-' || (print === undefined && stdin.isTTY !== true);
  try {
    const words = isRead ? await text(addAbortSignal(interrupts.signal, stdin)) : (print ?? '');
    return words.trim() === '' ? 'none' : { words };
  } catch (error) {
    if (interrupts.signal.aborted) return 'interrupted';
    throw error;
  }
}
