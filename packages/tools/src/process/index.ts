export { commandEnvironment } from '../command/command-environment.js';
export type { CommandProcess } from './processes.js';
export type { SupervisedProcessOptions } from './supervised-process.js';
export { SupervisedProcess } from './supervised-process.js';
export type { ProgramStreams } from './supervisor.js';
