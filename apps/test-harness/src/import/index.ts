export type { ReadSessionsOptions, SessionReader } from './read-sessions.js';
export { logFormatNames, readSessions } from './read-sessions.js';
export type { ImportNote, NoteKind, Session, SkippedFile } from './session.js';
export { modelCalls } from './model-calls.js';
export { recordedCompactionType } from './session-recorder.js';
