// The entry of a worker thread: see worker-pool.ts.
export { runTask as default } from './session-task.js';
