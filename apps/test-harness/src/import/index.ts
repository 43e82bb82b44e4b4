export { modelCalls } from './log/model-calls.js';
export { logFormatNames, readSessions } from './read-sessions.js';
export type { ImportNote, Session, SkippedFile } from './log/session.js';
