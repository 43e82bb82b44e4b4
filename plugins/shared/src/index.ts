export { Boundary, isGivenUp } from './boundary.js';
export type { BoundaryState } from './boundary.js';
export { HostSessions } from './host-sessions.js';
export type { HostSessionsOptions } from './host-sessions.js';
export type { HostModel, HostRequest, HostSession, Recalled } from './host-session.js';
export { userOptions } from './user-options.js';
export type { UserOptions } from './user-options.js';
export { testedVersions } from './tested-versions.js';
export type { HostName } from './tested-versions.js';
