import { PalimpsestError } from '@palimpsest/events';

/** Closes commands off from the rest of the machine. {@link openSandbox} opens one that was seen to work. */
export interface Sandbox {
  /** What is closed and what is open, in one line. */
  readonly description: string;
  /**
   * Makes a program run inside. Called before each command, because what must be guarded can appear between two.
   *
   * @param program - the program with its arguments
   */
  around(program: readonly string[]): Promise<SandboxedProgram>;
}

/** How a program is started inside a sandbox. */
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
