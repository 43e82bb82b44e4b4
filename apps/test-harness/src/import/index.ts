export { logFormatNames } from './formats/index.js';
export { modelCalls } from './log/model-calls.js';
export { readSessions } from './read-sessions.js';
export type { ImportNote, Session, SkippedFile } from './log/session.js';
