export type { ConversationWorkOptions } from './conversation-work.js';
export { ConversationWork } from './conversation-work.js';
export type { Inbox, InboxMessage } from './inbox.js';
export { deliver } from './inbox.js';
export type { InProcessRunnerOptions } from './in-process-runner.js';
export { inProcessRunner } from './in-process-runner.js';
export type { RunEnd, Runner, RunnerStatus } from './runner.js';
export { RunningWork } from './running-work.js';
