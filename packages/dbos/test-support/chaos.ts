import { randomUUID } from 'node:crypto';
import { setTimeout as elapsed } from 'node:timers/promises';
import { migrate, postgresInbox } from '@palimpsest/postgres';
import { scriptedServer } from '@palimpsest/provider-servers';
import pg from 'pg';
import { dbosRunner } from '../src/index.js';
import { bundledProgram } from './bundled-program.js';
import { ChaosFleet } from './chaos-fleet.js';
import { findings, lostActions } from './chaos-invariants.js';
import type { Finding } from './chaos-invariants.js';

/** The amount of work, and of what goes wrong. */
export interface ChaosOptions {
  readonly url: string;
  readonly conversations: number;
  readonly workers: number;
  /** The number of times that a message is put into all conversations at once. */
  readonly bursts: number;
  readonly kills: number;
  readonly stops: number;
  readonly freezes: number;
  /** The number of times that connections of the server are ended, three at a time. */
  readonly backends: number;
  /** The number of times that the model's provider is down, for three seconds. */
  readonly outages: number;
  /** Conversations that end their worker. */
  readonly poison: number;
  /** The time between two faults. Unit: milliseconds. */
  readonly everyMs: number;
  readonly seed: number;
  readonly progress?: (what: string) => void;
}

/** The result of a chaos run. */
export interface ChaosReport {
  readonly findings: readonly Finding[];
  /** Errors that ended a run for good, and what a worker printed. Dead letters are none. */
  readonly errors: readonly string[];
  readonly figures: Readonly<Record<string, number>>;
}

const places = 4;
const leaseMs = 2_000;

/** Runs conversations while workers, connections and the provider fail, and checks in the database that nothing was lost or done twice. */
export async function chaos(options: ChaosOptions): Promise<ChaosReport> {
  const { url, conversations, workers, bursts, progress } = options;
  const name = `chaos-${randomUUID()}`;
  const poison = `${name}-poison`;
  const random = randomOf(options.seed);
  const pool = new pg.Pool({ connectionString: url, max: 8, application_name: 'chaos run' });
  pool.on('error', () => undefined);
  await migrate(pool);
  await pool.query(`create table if not exists effects (run text, conversation text, tool text, action text);
    create table if not exists put (run text, conversation text, id text)`);
  const inbox = postgresInbox({ client: pool });
  const own = new URL(url);
  own.searchParams.set('application_name', 'chaos run');
  const client = dbosRunner({ url: own.href, name, open: () => Promise.reject(new Error()), onEnd: () => undefined });
  await client.counts();
  let isDown = false;
  const model = await scriptedServer('openai', (body) => answer(body as unknown as Request), {
    faults: () => (isDown ? { fault: 'overloaded' } : undefined),
  });
  const program = await bundledProgram('chaos-worker');
  const fleet = new ChaosFleet(program, workers, { url, modelUrl: model.baseURL, name, places, leaseMs });
  const injected: Record<string, () => Promise<void> | void> = {
    kills: () => fleet.kill(random()),
    stops: () => fleet.stop(random()),
    freezes: () => fleet.freeze(random()),
    backends: async () => {
      await pool.query(
        `select pg_terminate_backend(pid) from (select pid from pg_stat_activity
           where datname = current_database() and application_name <> 'chaos run' order by random() limit 3) as few`,
      );
    },
    outages: async () => {
      isDown = true;
      await elapsed(3_000);
      isDown = false;
    },
  };
  const kinds = ['kills', 'stops', 'freezes', 'backends', 'outages'] as const;
  const faults = shuffled(
    kinds.flatMap((kind) => Array.from({ length: options[kind] }, () => kind)),
    random,
  );
  const ids = Array.from({ length: conversations }, (_, index) =>
    index < options.poison ? `${poison}-${index}` : `${name}-${index}`,
  );
  const began = performance.now();
  let mostWaiting = 0;
  const left = async () => {
    const { waiting, delayed, running } = await client.counts();
    mostWaiting = Math.max(mostWaiting, waiting + delayed);
    return waiting + delayed + running;
  };
  try {
    for (let burst = 1; burst <= bursts; burst++) {
      await atOnce(ids, 8, async (conversation) => {
        const id = await inbox.put(conversation, conversation.startsWith(poison) ? 'Be poison.' : `Message ${burst}.`);
        await pool.query('insert into put (run, conversation, id) values ($1, $2, $3)', [name, conversation, id]);
        await client.enqueue(conversation);
      });
      progress?.(`burst ${burst} is put in`);
      for (const kind of faults.splice(0, Math.ceil(faults.length / (bursts - burst + 1)))) {
        await fleet.works(Math.ceil(workers / 2));
        await injected[kind]?.();
        await elapsed(options.everyMs);
        progress?.(`${kind}; ${await left()} left`);
      }
    }
    while ((await left()) > 0) await elapsed(200);
    await fleet.end();
    const input = { name, poison };
    const told = (type: Parameters<typeof fleet.told.get>[0]) => fleet.told.get(type) ?? 0;
    return {
      findings: await findings(pool, input),
      errors: [...fleet.errors].filter((error) => !error.startsWith('DeadLetterError')),
      figures: {
        conversations,
        messages: conversations * bursts,
        ...Object.fromEntries(kinds.map((kind) => [kind, options[kind]])),
        'dead letters': (await client.deadLetters()).length,
        'deaths of workers': fleet.deaths,
        'runs that ended': told('ended'),
        'runs that were put back': told('tried-again'),
        'runs that were handed over': told('handed-over'),
        'actions answered as lost': await lostActions(pool, input),
        'most that waited': mostWaiting,
        seconds: Math.round((performance.now() - began) / 1_000),
      },
    };
  } finally {
    fleet.killAll();
    await client.stop();
    await model.close();
    await pool.end();
  }
}

interface Request {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

/** Two actions for each message, and then an answer. A message of poison has the worker ended. */
function answer({ messages }: Request) {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
  const results = since.filter(({ role }) => role === 'tool').length;
  const id = `call_${messages.length}`;
  if (JSON.stringify(messages.at(-1 - since.length)?.content).includes('poison'))
    return { calls: [{ id, name: 'explode', input: {} }] };
  const tool = ['act', 'note'][results];
  return tool === undefined ? { text: 'Done.' } : { calls: [{ id, name: tool, input: {} }] };
}

async function atOnce<T>(all: readonly T[], count: number, work: (one: T) => Promise<void>): Promise<void> {
  const waiting = [...all];
  const lane = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: count }, lane));
}

/** A generator of numbers from 0 to 1 that repeats with its seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function shuffled<T>(all: readonly T[], random: () => number): T[] {
  return all
    .map((one) => ({ one, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}
