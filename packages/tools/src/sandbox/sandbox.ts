import { PalimpsestError } from '@palimpsest/events';

/** The files and folders that are open in a sandbox besides the workspace and the system's programs. */
export interface SandboxOptions {
  /** True if commands reach the network, this machine's own servers included. @defaultValue false */
  readonly network?: boolean;
  /** Files and folders that can be read. `~/` is the home folder. One that does not exist is left out. @defaultValue none */
  readonly readable?: readonly string[];
  /** Files and folders that can be written, likewise. @defaultValue none */
  readonly writable?: readonly string[];
  /**
   * Folders of the program that runs the commands, such as its configuration: read-only wherever they lie in what can be written.
   * @defaultValue none
   */
  readonly guarded?: readonly string[];
  /** A folder for what commands write to `/tmp` and to their empty home. @defaultValue that ends with each command */
  readonly scratch?: string;
  /** The environment in which `PATH` and `HOME` are read. @defaultValue the environment of this process */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * A sandbox that closes commands off from the rest of the machine. {@link openSandbox} opens one that was seen to work.
 */
export interface Sandbox {
  /** A line that says what is closed and what is open. */
  readonly description: string;
  /**
   * Makes a program run inside. Called before each command, because what must be guarded can appear between two.
   *
   * @param program - the program with its arguments
   */
  around(program: readonly string[]): Promise<SandboxedProgram>;
}

/** The program and arguments that start a program inside a sandbox. */
export interface SandboxedProgram {
  /** The program that opens the sandbox, with its arguments. */
  readonly program: readonly string[];
  /** Removes what had to be made for it. */
  end(): Promise<void>;
}

/** A sandbox, or why there is none. */
export type SandboxCheck =
  | { readonly works: true; readonly sandbox: Sandbox }
  | {
      readonly works: false;
      /** One sentence for the user: what was tried, and what it said. */
      readonly reason: string;
    };

/** A sandbox is required, and none works here. */
export class SandboxUnavailableError extends PalimpsestError {
  static override get typeName(): string {
    return 'SandboxUnavailableError';
  }

  readonly reason: string;

  constructor(reason: string) {
    super('sandbox-unavailable', `Commands must run in a sandbox, and none works here. ${reason}`);
    this.reason = reason;
  }
}
