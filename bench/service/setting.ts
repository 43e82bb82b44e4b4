/** What a worker is started with. */
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
  /** Whether each event that is stored is told. @defaultValue false */
  readonly tells?: boolean;
  /** Runs so many conversations with `inProcessRunner`, and logs in memory: no database. @defaultValue 0 */
  readonly inMemory?: number;
  /** The message of conversations in memory. */
  readonly message?: string;
}

/** What the model's server is started with. */
export interface ModelSetting {
  /** How long an answer takes. Unit: milliseconds. */
  readonly latencyMs: number;
}

/** What a program tells of itself. */
export type FromProgram =
  | { readonly type: 'ready'; readonly url?: string }
  | { readonly type: 'stored'; readonly conversationId: string }
  | { readonly type: 'failed'; readonly error: string }
  | ({ readonly type: 'figures' } & Figures);

/** What a program has done since it began. */
export interface Figures {
  /** Results of tools that are stored. */
  readonly steps: number;
  readonly runs: number;
  /** User and system, of all threads. Unit: milliseconds. */
  readonly cpuMs: number;
}

/** What a conversation is asked for: the text of its message is this as JSON. */
export interface Task {
  /** Each is a model call and a tool call. */
  readonly steps: number;
  /** How long the tool takes. Unit: milliseconds. */
  readonly toolMs: number;
}
