/** After a failure nothing is tried for so many steps. Unit: requests of the agent. */
const pauseSteps = 20;
/** After so many failures nothing is tried any more in a session. */
const mostFailures = 3;

/** The memory of a boundary, for a host that starts its plugin anew in mid-session. */
export interface BoundaryState {
  readonly failures: number;
  readonly stepsLeft: number;
  readonly problem?: string | undefined;
}

/**
 * Keeps what fails in a plugin away from the agent: work inside of it never throws, is not tried for 20 steps after a failure, and not at all
 * after three.
 */
export class Boundary {
  #failures: number;
  #stepsLeft: number;
  #problem: string | undefined;

  /** @param state - what an earlier one remembered. @defaultValue nothing has failed */
  constructor({ failures, stepsLeft, problem }: BoundaryState = { failures: 0, stepsLeft: 0 }) {
    this.#failures = failures;
    this.#stepsLeft = stepsLeft;
    this.#problem = problem;
  }

  get state(): BoundaryState {
    return { failures: this.#failures, stepsLeft: this.#stepsLeft, problem: this.#problem };
  }

  /** Counts a step of the agent. Returns true if work may be tried at it. */
  step(): boolean {
    if (isGivenUp(this.state)) return false;
    if (this.#stepsLeft === 0) return true;
    this.#stepsLeft -= 1;
    if (this.#stepsLeft === 0) this.#problem = undefined;
    return false;
  }

  /** Runs work. Returns undefined if it throws, and remembers why. */
  async run<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      this.failed(error);
      return undefined;
    }
  }

  /** Takes note of a failure. */
  failed(error: unknown): void {
    this.#failures += 1;
    this.#stepsLeft = pauseSteps;
    this.#problem = shortened(error instanceof Error ? error.message : String(error));
  }

  /** What is wrong now, in a sentence. Undefined if work is tried. */
  get problem(): string | undefined {
    if (this.#problem === undefined) return undefined;
    const until = isGivenUp(this.state) ? 'in this session' : `for ${this.#stepsLeft} steps`;
    return `no condensation ${until}: ${this.#problem}`;
  }
}

/** Returns true if nothing is tried any more. */
export function isGivenUp({ failures }: BoundaryState): boolean {
  return failures >= mostFailures;
}

/** Shortens paths to their ends: a status bar has room for the reason. */
export function shortened(message: string): string {
  return message.replace(/(?:\/[^\s/:'"]+)+\/(?=[^\s/:'"]+)/g, '…/');
}
