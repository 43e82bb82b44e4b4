// The entry of a worker thread: see runner.ts. Each function has the name by which it is called there.
export { runSet } from '../hostile/replay-set.js';
export { runTask } from '../replay/run-task.js';

// The pool would wait for ever for a thread that a condenser ends. So that is an error of the condenser.
process.exit = (code) => {
  throw new Error(`process.exit(${code ?? ''}) was called`);
};
