import path from 'node:path';
import type { WorkerProgram } from '../src/server/supervisor.js';

/** The built process of the gateway. */
export const workerProgram: WorkerProgram = { file: path.join(import.meta.dirname, '../dist/worker.js') };
