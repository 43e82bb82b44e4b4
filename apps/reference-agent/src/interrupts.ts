import { isReaderGone } from '@palimpsest/terminal';
import { exitStatus } from './exit-status.js';

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
 * Follows the signals of the process and its standard output. The first SIGINT, SIGTERM or SIGHUP, and a reader that goes away, abort
 * the run, which then ends in an orderly way; the next signal ends the process at once. A closed pipe is never an error. Output that cannot be written for another reason is told once,
 * aborts the run, and makes the exit status 1.
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
    // Such as a full disk. What the command resolves to counts no more: its output is not whole.
    if (!isOutputLost) {
      host.stderr.write(`palimpsest: cannot write to standard output: ${error.message}\n`);
      host.on('exit', () => (host.exitCode = exitStatus.error));
    }
    isOutputLost = true;
    interrupt('the output cannot be written', exitStatus.error);
  });
  // Lines for people who have gone, or for a file on a full disk: there is no other place to tell it.
  host.stderr.on('error', () => undefined);
  return {
    signal: controller.signal,
    get exitStatus() {
      return status;
    },
    onSigint: (listener) => (sigint = listener),
  };
}
