import type { Readable } from 'node:stream';
import type { Interrupts } from './interrupts.js';

/** Where a command finds its input and environment, and prints. Of the process, or of a test. */
export interface CommandSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder in which the command was called. */
  readonly cwd: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly interrupts: Interrupts;
  /** Waits that a test shortens. Unit: milliseconds. @defaultValue those of each */
  readonly waits?: Waits;
}

/** Waits of commands. Unit: milliseconds. */
export interface Waits {
  /** The longest wait before the second try of a model call. @defaultValue 1,000 */
  readonly retryMs?: number;
  /** The longest wait for the first byte of standard input behind a task. @defaultValue 3,000 */
  readonly stdinMs?: number;
}

/** What a command prints to. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}
