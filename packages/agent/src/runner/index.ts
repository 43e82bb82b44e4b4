export type { ConversationWorkOptions } from './conversation-work.js';
export { ConversationWork, RunningWork } from './conversation-work.js';
export type { Inbox, InboxMessage, RunEnd, Runner, RunnerStatus } from './runner.js';
export { deliver } from './runner.js';
export type { InProcessRunnerOptions } from './in-process-runner.js';
export { inProcessRunner } from './in-process-runner.js';
