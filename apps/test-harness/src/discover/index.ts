export type { FindSessionsOptions, FoundSession, FoundSessions, SearchedFolder } from './find-sessions.js';
export { findSessions } from './find-sessions.js';
export type { SessionAgent } from './session-folders.js';
