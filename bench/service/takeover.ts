import type { LocalPostgres } from '@palimpsest/postgres/testing';
import { idsOf, newDatabase } from './database.js';
import { Program, allStarted, elapsed } from './program.js';
import type { WorkerSetting } from './setting.js';

/** The way in which workers are lost. */
export interface TakeoverOptions {
  readonly signal: 'SIGKILL' | 'SIGSTOP';
  readonly runner: WorkerSetting['runner'];
  /** The number of workers that are lost. */
  readonly lost: number;
  /** In what time they are lost, one after the other. Unit: milliseconds. */
  readonly spreadMs: number;
}

/** The number of workers that are never lost. */
const survivors = 6;

/** After what time the bench gives up. Unit: milliseconds. */
const longestMs = 120_000;

/** The times from the loss of a worker to the first event that another one stores in a conversation of it, shortest first. Unit: milliseconds. */
export interface TakeoverTimes {
  /** After the first loss. */
  readonly first: readonly number[];
  /** After a later one: a conversation that loses two workers in a row runs with nobody beside it. */
  readonly later: readonly number[];
}

/** Loses workers, and measures how long their conversations wait for others. */
export async function takeoverTimes(server: LocalPostgres, options: TakeoverOptions): Promise<TakeoverTimes> {
  const { signal, runner, lost: count, spreadMs } = options;
  const database = await newDatabase(server);
  const model = await Program.model({ latencyMs: 20 });
  /** The worker that stored the newest event of a conversation. */
  const owners = new Map<string, number>();
  const lost = new Map<string, { readonly worker: number; readonly at: number }>();
  const times = { first: [] as number[], later: [] as number[] };
  const lostBefore = new Set<string>();
  const onStored = (conversationId: string, worker: number) => {
    const loss = lost.get(conversationId);
    // What a worker told before it was lost may come late.
    if (loss?.worker === worker) return;
    if (loss !== undefined) {
      times[lostBefore.has(conversationId) ? 'later' : 'first'].push(performance.now() - loss.at);
      lostBefore.add(conversationId);
    }
    lost.delete(conversationId);
    owners.set(conversationId, worker);
  };
  const setting = { url: database.url, modelUrl: model.url, runner: { ...runner, maxConcurrentRuns: 64 }, tells: true };
  const workers = await allStarted(Array.from({ length: count + survivors }, () => Program.worker(setting, onStored)));
  try {
    const victims = workers.slice(0, count);
    // One after the other, because whoever looks first takes all that wait: until each of the victims has one.
    for (let asked = 0; victims.some(({ pid }) => ![...owners.values()].includes(pid)); asked++) {
      await database.ask(idsOf('takeover', asked, asked + 1), { steps: 450, toolMs: 3_000 });
      await elapsed(100);
    }
    for (const victim of victims) {
      const at = performance.now();
      victim.kill(signal);
      for (const [id, worker] of owners) if (worker === victim.pid && !lost.has(id)) lost.set(id, { worker, at });
      await elapsed(spreadMs / count);
    }
    const deadline = performance.now() + longestMs;
    while (lost.size > 0) {
      if (performance.now() > deadline) throw new Error(`Nobody has taken over ${[...lost.keys()].join(', ')}.`);
      await elapsed(50);
    }
    for (const each of Object.values(times)) each.sort((a, b) => a - b);
    return times;
  } finally {
    await Promise.all([...workers, model].map((program) => program.end()));
    await database.close();
  }
}
