import type { CommandProcess } from '../process/processes.js';
import { SupervisedProcess } from '../process/supervised-process.js';
import type { Sandbox, SandboxedProgram } from '../sandbox/sandbox.js';
import type { Workspace } from '../workspace/workspace.js';
import { commandEnvironment, withoutTerminal } from '../process/environment.js';
import { CommandOutput } from './output.js';
import type { OutputMask, KeptOutput, OutputFolder } from './output.js';

/** Settings for every command of a conversation. */
export interface CommandSettings {
  /**
   * The environment of commands. Without a sandbox a command can read the environment of this process, too, whatever is left
   * out here (`/proc/<pid>/environ`). @defaultValue variables with harmless names: `PATH`, `HOME`, `LANG`, `*_HOME` …
   */
  readonly env?: Readonly<Record<string, string>>;
  /** @defaultValue none: a command reaches what its user can */
  readonly sandbox?: Sandbox;
  /** The folder for the whole of an output that is too long to be shown. @defaultValue the middle is lost */
  readonly outputs?: OutputFolder;
  /**
   * Hides secrets in the output before any of it is cut or kept: `stream` of `secretMask` in `@palimpsest/agent`.
   * @defaultValue nothing is hidden
   */
  readonly mask?: OutputMask;
  /**
   * The fate of processes that a command leaves behind. `keep`: they run until this process ends or `lifetime` is aborted. In a
   * sandbox, which ends with its command, they are ended in any case. @defaultValue 'keep'
   */
  readonly background?: 'keep' | 'end';
  /** Ends all processes that commands left behind when it is aborted. @defaultValue they end with this process */
  readonly lifetime?: AbortSignal;
}

/** Options of {@link runCommand}. */
export interface RunCommandOptions extends CommandSettings {
  readonly timeoutMs: number;
  /** The part of a longer output that is returned: its beginning and its end. Unit: characters. @defaultValue 12,000 */
  readonly maxCharacters?: number;
  readonly signal?: AbortSignal;
}

/** The end of a command, and its output. */
export interface CommandResult {
  /**
   * Standard output and standard error in the order of arrival, as plain text: without escape sequences, with the last state of
   * lines that were written again. Cut in the middle if it is too long.
   */
  readonly output: string;
  /** The size of the whole output. Unit: characters. */
  readonly characters: number;
  /** The place where the whole output is, if it was cut and there is a folder for it. */
  readonly kept?: KeptOutput;
  /** Undefined when a signal ended it. */
  readonly exitStatus: number | undefined;
  /** The name of a signal. Undefined when it ended by itself, and for a command in a sandbox. */
  readonly endedBy: string | undefined;
  readonly timedOut: boolean;
  readonly isCut: boolean;
  /** Processes that the command left behind, which go on. What they write to its output is not read. */
  readonly leftRunning: readonly CommandProcess[];
  /** Processes that the command left behind, which were ended. */
  readonly endedAfter: readonly CommandProcess[];
}

/** The time for which output is read after the shell's exit while somebody holds the pipe. Unit: milliseconds. */
const graceMs = 250;
/** Processes that were not found can print for ever. */
const mostGraces = 8;

/**
 * Runs a shell command in the root of the workspace, with no terminal and nothing to read, and waits for its shell. When the
 * time is over or the signal is aborted, its processes are asked to end, and are ended after half a second. All that it
 * started ends with this process, also when that is killed, but without a sandbox not a process that both moved to a session of
 * its own and cleared its environment, or on a system without /proc one that moved.
 *
 * @throws the reason of `signal` when it is aborted
 */
export async function runCommand(
  workspace: Workspace,
  command: string,
  options: RunCommandOptions,
): Promise<CommandResult> {
  const { timeoutMs, maxCharacters = 12_000, signal, sandbox, outputs, mask } = options;
  signal?.throwIfAborted();
  const shell = ['/bin/sh', '-c', command];
  const inside: SandboxedProgram | undefined = await sandbox?.around(shell);
  const output = new CommandOutput({ maxCharacters, outputs, mask });
  try {
    const running = new RunningCommand(workspace, inside?.program ?? shell, options);
    const ending = await running.ended({ timeoutMs, signal, output });
    signal?.throwIfAborted();
    return { ...(await output.end()), ...ending };
  } catch (error) {
    await output.discard();
    throw error;
  } finally {
    await inside?.end();
  }
}

type Ending = Pick<CommandResult, 'exitStatus' | 'endedBy' | 'timedOut' | 'leftRunning' | 'endedAfter'>;

/** One command and all its processes. */
class RunningCommand {
  readonly #process: SupervisedProcess;
  readonly #settings: CommandSettings;

  constructor({ root }: Workspace, program: readonly string[], settings: CommandSettings) {
    this.#settings = settings;
    const env = { ...(settings.env ?? commandEnvironment(process.env)), ...withoutTerminal };
    this.#process = new SupervisedProcess(program, { cwd: root, env, streams: 'one' });
  }

  /** Waits for the end of the shell, or brings it about. */
  async ended(how: {
    readonly timeoutMs: number;
    readonly signal: AbortSignal | undefined;
    readonly output: CommandOutput;
  }): Promise<Ending> {
    const { timeoutMs, signal, output } = how;
    let timedOut = false;
    const end = (): void => this.#process.end();
    const timer = setTimeout(() => {
      timedOut = true;
      end();
    }, timeoutMs);
    signal?.addEventListener('abort', end, { once: true });
    // Aborted while the sandbox was prepared.
    if (signal?.aborted === true) end();
    const closed = output.read(this.#process.stdout);
    try {
      const [exitStatus, endedBy] = await this.#process.exit;
      clearTimeout(timer);
      if (timedOut || signal?.aborted === true) this.#process.kill();
      const left = await this.#left();
      const keeps = this.#settings.background !== 'end' && this.#settings.sandbox === undefined && !timedOut;
      const goOn = keeps && signal?.aborted !== true ? left : [];
      if (goOn.length === 0) this.#process.kill();
      await rest(closed, output, goOn.length > 0 ? 1 : mostGraces);
      if (goOn.length > 0) this.#keep();
      else this.#process.stdout.destroy();
      const endedAfter = goOn.length === 0 && !timedOut ? left : [];
      return {
        exitStatus: exitStatus ?? undefined,
        endedBy: endedBy ?? undefined,
        timedOut,
        leftRunning: goOn,
        endedAfter,
      };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    }
  }

  /** The processes that go on after the shell. */
  async #left(): Promise<readonly CommandProcess[]> {
    if (this.#process.pid === undefined) return [];
    await this.#process.watched;
    for (let round = 0; ; round++) {
      const left = this.#process.processes();
      // The sandbox's own process ends a moment after its last one.
      const others = left.filter(({ name }) => name !== 'bwrap');
      if (others.length > 0 || left.length === 0 || round === 20) return others;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  /** Lets the rest go on without keeping this process from its end. */
  #keep(): void {
    const end = (): void => this.#process.kill();
    this.#settings.lifetime?.addEventListener('abort', end, { once: true });
    if (this.#settings.lifetime?.aborted === true) return end();
    const { stdout } = this.#process;
    // The watcher's end, which is theirs.
    this.#process.lifeline.once('close', () => this.#settings.lifetime?.removeEventListener('abort', end));
    // A program whose output nobody takes stops, or is ended by it.
    stdout.removeAllListeners('data');
    // When the last of them is gone, nobody is left to be watched.
    // A process closes its files a moment before it is gone.
    const endIfAlone = (rounds = 20): void => {
      if (this.#process.processes().length === 0) end();
      else if (rounds > 0) setTimeout(() => endIfAlone(rounds - 1), 10).unref();
    };
    if (stdout.closed) endIfAlone();
    else stdout.once('close', () => endIfAlone());
    stdout.resume();
    this.#process.unref();
  }
}

/** Waits until all output is read, or for a while in which nothing comes: an unknown process may hold the pipe. */
async function rest(closed: Promise<void>, output: CommandOutput, mostTimes: number): Promise<void> {
  let isClosed = false;
  const end = closed.then(() => {
    isClosed = true;
  });
  for (let time = 0; time < mostTimes || output.isWaiting; time++) {
    const { bytes } = output;
    await Promise.race([end, grace()]);
    if (isClosed || (output.bytes === bytes && !output.isWaiting)) return;
  }
}

async function grace(): Promise<void> {
  // The immediate lets a busy process read the rest of the pipe.
  await new Promise((resolve) => setTimeout(() => setImmediate(resolve), graceMs));
}
