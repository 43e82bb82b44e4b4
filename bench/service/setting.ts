/** The setting of a worker at its start. */
export interface WorkerSetting {
  readonly url: string;
  readonly modelUrl: string;
  /** Options of `dbosRunner`; its defaults where they are not given. */
  readonly runner: {
    readonly maxConcurrentRuns?: number;
    readonly leaseMs?: number;
    readonly sweepMs?: number;
    readonly pollMs?: number;
  };
  /** Reports each stored event. @defaultValue false */
  readonly tells?: boolean;
  /** Runs so many conversations with `inProcessRunner`, and logs in memory: no database. @defaultValue 0 */
  readonly inMemory?: number;
  /** The message of conversations in memory. */
  readonly message?: string;
}

/** The setting of the model's server at its start. */
export interface ModelSetting {
  /** The time of an answer. Unit: milliseconds. */
  readonly latencyMs: number;
}

/** A message of a program to the bench. */
export type FromProgram =
  | { readonly type: 'ready'; readonly url?: string }
  | { readonly type: 'stored'; readonly conversationId: string }
  | { readonly type: 'failed'; readonly error: string }
  | ({ readonly type: 'figures' } & Figures);

/** The work of a program since its start. */
export interface Figures {
  /** Results of tools that are stored. */
  readonly steps: number;
  readonly runs: number;
  /** User and system, of all threads. Unit: milliseconds. */
  readonly cpuMs: number;
}

/** The task of a conversation. The text of its message is this as JSON. */
export interface Task {
  /** Each is a model call and a tool call. */
  readonly steps: number;
  /** The time of the tool. Unit: milliseconds. */
  readonly toolMs: number;
}
