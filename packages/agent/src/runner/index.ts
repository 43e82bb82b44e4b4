export type { ConversationWorkOptions } from './conversation-work.js';
export { ConversationWork, RunningWork } from './conversation-work.js';
export type { Inbox, RunEnd, Runner } from './runner.js';
export { inProcessRunner } from './in-process-runner.js';
