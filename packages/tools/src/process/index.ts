export { commandEnvironment } from './environment.js';
export type { SupervisedProgram } from './supervised-process.js';
export { startProgram } from './supervised-process.js';
