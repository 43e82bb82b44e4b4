export type { ConversationWorkOptions, WorkEnd, WorkHooks } from './conversation-work.js';
export { ConversationWork } from './conversation-work.js';
export { RunningWork } from './running-work.js';
export type { Failures, RetryReason } from './retry.js';
export { failuresAfter, isTriedAgain, retryDelayMs } from './retry.js';
export type { Inbox, RunEnd, Runner } from './runner.js';
export { inProcessRunner } from './in-process-runner.js';
