// The entry of a worker thread: see replay.ts.
export { runTask as default } from './run-task.js';

// The pool would wait for ever for a thread that a condenser ends. So that is an error of the condenser.
process.exit = (code) => {
  throw new Error(`process.exit(${code ?? ''}) was called`);
};
