import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ConversationBusyError, PalimpsestError } from '@palimpsest/events';
import { isReaderGone, printableText } from '@palimpsest/terminal';
import type { SettingsValues } from './settings/settings.js';

/** The environment, streams and interrupts of a command: those of the process, or of a test. */
export interface CliContext {
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

/** A stream that a command prints to. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Returns the path of a file that is published with the program. The same from `src/` and from `dist/`. */
export function applicationFile(name: string): string {
  return fileURLToPath(new URL(`../${name}`, import.meta.url));
}

/** The values of `--output-format`. */
export type OutputFormat = 'text' | 'json' | 'stream-json';

/** The settings that the command line can give. The schema describes each of them. */
export const settingFlags = [
  ...(['model', 'baseUrl', 'smallModel', 'toolCalls', 'maxCost', 'maxSteps', 'templateFolder'] as const),
  ...(['maxOutputTokens', 'effort', 'retrySeconds'] as const),
] as const;

/** The options of a run, as the command line gives them. */
export interface RunFlags extends Readonly<Pick<SettingsValues, (typeof settingFlags)[number]>> {
  /** The task; `-` reads it from standard input. */
  readonly print?: string | undefined;
  /** Standard input is waited for, however long it takes to come. @defaultValue false */
  readonly stdin?: boolean | undefined;
  readonly outputFormat: OutputFormat;
  /** Interactive: line by line, for screen readers. */
  readonly plain?: boolean | undefined;
  /** With `stream-json`: pieces of answers, too. */
  readonly deltas?: boolean | undefined;
  /**
   * The model is at its provider's own address, whatever the settings and `baseUrl` name. A small model is at the address that they name.
   *
   * @defaultValue false
   */
  readonly isProvidersAddress?: boolean | undefined;
  /** The folder to work in. */
  readonly cwd?: string | undefined;
  /** A configuration file. */
  readonly config?: string | undefined;
  /** Every call is allowed. */
  readonly yolo?: boolean | undefined;
  /** The fate of a call that needs a yes. */
  readonly onAsk?: 'deny' | 'wait' | undefined;
}

/** The exit statuses of the command, for scripts. */
export const exitStatus = {
  done: 0,
  error: 1,
  wrongInput: 2,
  stuck: 3,
  limit: 4,
  /** The provider refused the content. */
  refused: 5,
  /** A call waits for a yes. */
  waiting: 6,
  /** The answer was cut again and again, and is not whole. */
  incomplete: 7,
  /** The model is done, and every call that would have changed something was denied. */
  denied: 8,
  /** The statuses that shells report for a process that a signal ended. */
  interrupted: { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 },
} as const;

/** The requests to end a run early. */
export interface Interrupts {
  /** Aborted by the first of them. */
  readonly signal: AbortSignal;
  /** The exit status of a run that was ended by one. */
  readonly exitStatus: number;
  /** From now on SIGINT, which is Ctrl-C, calls the listener and ends nothing. */
  onSigint?(listener: () => void): void;
}

/** The reader of standard output went away, as `head` does. Shells report such a process with this status. */
export const readerGoneStatus = 141;

/**
 * Follows the signals of the process and its standard output. The first SIGINT, SIGTERM or SIGHUP aborts the run, which then ends in an
 * orderly way. A reader that goes away does the same. The next signal ends the process at once. A closed pipe is never an error. Output
 * that cannot be written for another reason is reported once, aborts the run, and makes the exit status 1.
 */
export function processInterrupts(host: NodeJS.Process = process): Interrupts {
  const controller = new AbortController();
  let status: number = exitStatus.interrupted.SIGINT;
  let isOutputLost = false;
  let sigint: (() => void) | undefined;
  const interrupt = (name: string, newStatus: number): void => {
    if (controller.signal.aborted) return;
    status = newStatus;
    controller.abort(new Error(`The run was interrupted: ${name}.`));
  };
  for (const [name, signalStatus] of Object.entries(exitStatus.interrupted)) {
    host.on(name, () => {
      if (name === 'SIGINT' && sigint !== undefined && !controller.signal.aborted) return sigint();
      if (controller.signal.aborted) host.exit(signalStatus);
      interrupt(name, signalStatus);
    });
  }
  host.stdout.on('error', (error: Error) => {
    if (isReaderGone(error)) return interrupt('nobody reads the output', readerGoneStatus);
    // For example a full disk. What the command resolves to counts no more, because its output is not whole.
    if (!isOutputLost) {
      host.stderr.write(`palimpsest: cannot write to standard output: ${error.message}\n`);
      host.on('exit', () => (host.exitCode = exitStatus.error));
    }
    isOutputLost = true;
    interrupt('the output cannot be written', exitStatus.error);
  });
  // Nobody reads these lines, or their disk is full. There is no other place to report it.
  host.stderr.on('error', () => undefined);
  return {
    signal: controller.signal,
    get exitStatus() {
      return status;
    },
    onSigint: (listener) => (sigint = listener),
  };
}

/**
 * Returns the context of this process. From here on, its signals are {@link Interrupts}.
 *
 * @throws {@link UsageError} when the current folder has been deleted.
 */
export function processContext(): CliContext {
  const { env, stdin, stdout, stderr } = process;
  return { env, cwd: currentFolder(), stdin, stdout, stderr, interrupts: processInterrupts() };
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new UsageError('The current folder does not exist any more. Go to another one (cd), and try again.', {
      cause,
    });
  }
}

/** A call of the command that cannot work. The message says what to do. */
export class UsageError extends PalimpsestError {
  static override get typeName(): string {
    return 'UsageError';
  }

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super('usage', message, options);
  }
}

/** The codes of errors that are no wrong input: something came between. */
const failures = new Set([
  'concurrency',
  'conversation-busy',
  'event-store',
  'writer-ousted',
  'undo-conflict',
  'file-history',
]);

/**
 * Returns the text to print for an error that the user can do something about. Undefined for a defect, whose stack is
 * needed.
 */
export function problemOf(error: unknown): { readonly message: string; readonly exitStatus: number } | undefined {
  if (!PalimpsestError.isInstance(error)) return undefined;
  return {
    message: printableText(messageOf(error)),
    exitStatus: failures.has(error.code) ? exitStatus.error : exitStatus.wrongInput,
  };
}

/**
 * Returns the text to show for an error in a session that goes on. The text of a defect holds its stack, which is
 * needed to repair it.
 */
export function problemText(error: unknown): string {
  const defect = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return problemOf(error)?.message ?? `Palimpsest has a defect: ${defect}`;
}

function messageOf(error: PalimpsestError): string {
  if (!ConversationBusyError.isInstance(error)) return error.message;
  return `Session '${error.conversationId}' is at work in ${error.holder}. Go on with it when that has ended.`;
}
