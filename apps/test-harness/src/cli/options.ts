/** Options of every command that replays, as the command line gives them: what is replayed, and how. */
export interface RunOptions {
  /** Names, packages, options and sweeps. */
  readonly condenser: readonly string[];
  /** Files that describe a condenser each. */
  readonly config: readonly string[];
  /** The number of threads. 0: none but this one. */
  readonly workers?: number;
  /** False: nothing is stored, and nothing that was stored is used. */
  readonly cache?: boolean;
}

/** Options of `replay` and `report`, as the command line gives them. */
export interface SharedOptions extends RunOptions {
  readonly contextWindow?: number;
  /** A model by whose prices the sessions are priced, in USD. */
  readonly model?: string;
}
