export type { DbosRunnerOptions } from './dbos-runner.js';
export { dbosRunner } from './dbos-runner.js';
