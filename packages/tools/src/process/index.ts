export { commandEnvironment } from './environment.js';
export type { ProgramInput, ProgramOutput, SupervisedProgram } from './supervised-process.js';
export { startProgram } from './supervised-process.js';
