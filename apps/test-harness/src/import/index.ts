export type { ReadSessionsOptions, SessionReader } from './read-sessions.js';
export { logFormatNames, readSessions } from './read-sessions.js';
export type { ImportNote, NoteKind, Session, SkippedFile } from './log/session.js';
