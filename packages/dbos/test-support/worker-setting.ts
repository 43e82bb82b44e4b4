/** The setting with which a worker of the kill test is started. */
export interface WorkerSetting {
  readonly url: string;
  readonly modelUrl: string;
  readonly name: string;
  readonly leaseMs: number;
  /** The conversation and the step in which the worker freezes itself; without them it does not. */
  readonly frozenConversation?: string;
  readonly frozenStep?: number;
}

/** A message of a worker to the test. */
export type FromWorker =
  | { readonly type: 'works' }
  | { readonly type: 'freezes'; readonly pid: number; readonly actionId: string }
  | { readonly type: 'stored'; readonly conversationId: string; readonly id: string }
  | {
      readonly type: 'end';
      readonly conversationId: string;
      readonly end: string;
      readonly error?: string;
      readonly isTriedAgain?: boolean;
    }
  | { readonly type: 'trouble'; readonly error: string };
