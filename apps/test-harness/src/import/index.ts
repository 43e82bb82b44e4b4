export { logFormatNames } from './formats/index.js';
export { readSessions } from './read-sessions.js';
export type { ImportNote, Session, SkippedFile } from './log/session.js';
