export { commandEnvironment } from '../command/command-environment.js';
export type { ProgramInput, ProgramOutput, SupervisedProgram } from './start-program.js';
export { startProgram } from './start-program.js';
