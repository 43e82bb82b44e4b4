import type { LocalPostgres } from '@palimpsest/postgres/testing';
import { idsOf, newDatabase } from './database.js';
import { Program, allStarted, elapsed } from './program.js';
import type { WorkerSetting } from './setting.js';

/** Workers under load. */
export interface LoadOptions {
  readonly workers: number;
  /** Of a model call. Unit: milliseconds. */
  readonly latencyMs: number;
  readonly runner: WorkerSetting['runner'];
  /** Unit: milliseconds. */
  readonly windowMs: number;
}

/** The figures of the window. CPU is user and system, in milliseconds a step. */
export interface Load {
  readonly stepsPerSecond: number;
  readonly workerCpu: number;
  readonly modelCpu: number;
}

/** Each request is a run of so many steps. */
const stepsOfRun = 40;

/** Returns more requests than two cores serve in the time, and than all workers begin with. */
const requestsFor = (windowMs: number) => Math.ceil(windowMs / 1_000) * 12 + 120;

/** The steps that each worker has taken when the window begins: compiling and connecting are not measured. */
const warmUpSteps = 80;
const longestWarmUpMs = 120_000;

/** Runs workers on a database of their own, with more requests than they can serve. */
export async function loadOf(
  server: LocalPostgres,
  { workers: count, latencyMs, runner, windowMs }: LoadOptions,
): Promise<Load> {
  const database = await newDatabase(server);
  try {
    await database.ask(idsOf('load', 0, requestsFor(windowMs)), { steps: stepsOfRun, toolMs: 0 });
    const model = await Program.model({ latencyMs });
    const workers = await allStarted(
      Array.from({ length: count }, () => Program.worker({ url: database.url, modelUrl: model.url, runner })),
    );
    try {
      return await measured(workers, model, windowMs);
    } finally {
      await Promise.all([...workers, model].map((program) => program.end()));
    }
  } finally {
    await database.close();
  }
}

/** Runs the same agent in one process, with logs in memory: what is left without a database. */
export async function loadInMemory(windowMs: number, maxConcurrentRuns: number): Promise<Load> {
  const model = await Program.model({ latencyMs: 0 });
  const worker = await Program.worker({
    url: 'postgres://127.0.0.1:1/none',
    modelUrl: model.url,
    runner: { maxConcurrentRuns },
    inMemory: requestsFor(windowMs),
    message: JSON.stringify({ steps: stepsOfRun, toolMs: 0 }),
  });
  try {
    return await measured([worker], model, windowMs);
  } finally {
    await Promise.all([worker.end(), model.end()]);
  }
}

async function measured(workers: readonly Program[], model: Program, windowMs: number): Promise<Load> {
  const figures = async () => {
    const each = await Promise.all(workers.map((worker) => worker.figures()));
    const sum = (key: 'steps' | 'cpuMs') => each.reduce((total, one) => total + one[key], 0);
    return {
      at: performance.now(),
      least: Math.min(...each.map(({ steps }) => steps)),
      steps: sum('steps'),
      workers: sum('cpuMs'),
      model: (await model.figures()).cpuMs,
    };
  };
  let before = await figures();
  const deadline = performance.now() + longestWarmUpMs;
  while (before.least < warmUpSteps) {
    if (performance.now() > deadline) throw new Error('There are too few requests: a worker has nothing to do.');
    await elapsed(100);
    before = await figures();
  }
  await elapsed(windowMs);
  const after = await figures();
  const steps = after.steps - before.steps;
  const ms = after.at - before.at;
  return {
    stepsPerSecond: (steps / ms) * 1_000,
    workerCpu: (after.workers - before.workers) / steps,
    modelCpu: (after.model - before.model) / steps,
  };
}

/**
 * Measures bare inserts a second in one statement each, by as many connections as the workers write with: nothing but the
 * commits.
 */
export async function floorOf(
  server: LocalPostgres,
  { connections, bytes, windowMs }: { readonly connections: number; readonly bytes: number; readonly windowMs: number },
): Promise<number> {
  const database = await newDatabase(server);
  const { pool } = database;
  try {
    await pool.query('create table floor (lane int, position bigint, body text, primary key (lane, position))');
    const body = 'x'.repeat(Math.round(bytes));
    const start = performance.now();
    let inserts = 0;
    const inserted = async (lane: number) => {
      for (let position = 0; performance.now() - start < windowMs; position++) {
        await pool.query('insert into floor values ($1, $2, $3)', [lane, position, body]);
        inserts++;
      }
    };
    await Promise.all(Array.from({ length: connections }, (_, lane) => inserted(lane)));
    return (inserts / (performance.now() - start)) * 1_000;
  } finally {
    await database.close();
  }
}
