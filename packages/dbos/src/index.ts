export { dbosRunner } from './dbos-runner.js';
export { DeadLetterError } from './errors.js';
export type { DbosRunner, DbosRunnerOptions } from './options.js';
export type { QueueCounts } from './queue-counts.js';
export type { DeadLetter } from './troubles.js';
