import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, Conversation } from '@palimpsest/agent';
import type { ActionEvent, Event, EventStore } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { migrate, postgresEventStore } from '@palimpsest/postgres';
import type { LocalPostgres } from '@palimpsest/postgres/testing';
import { scriptedServer } from '@palimpsest/provider-servers';
import pg from 'pg';
import { dbosRunner } from '../src/index.js';
import { bundledProgram } from './bundled-program.js';
import type { FromWorker, WorkerSetting } from './worker-setting.js';

/** The amount of work, and of what goes wrong. */
export interface KillTestOptions {
  readonly server: LocalPostgres;
  readonly conversations: number;
  readonly steps: number;
  readonly kills: number;
  /** Unit: milliseconds. */
  readonly leaseMs: number;
}

/** The findings when every conversation had ended. */
export interface KillTestReport {
  readonly kills: number;
  readonly restarts: number;
  readonly finished: number;
  readonly condensations: number;
  /** Actions that were answered as lost. */
  readonly lost: number;
  /** Actions of repeatable tools that took effect more than once. */
  readonly repeated: number;
  /** Actions of other tools that took effect more than once: none may. */
  readonly unsafeRepeats: number;
  /** Actions that are answered with a result, and took no effect: none may. */
  readonly withoutEffect: number;
  /** Events that a worker has seen stored, and the store does not have: none may be. */
  readonly eventsLost: number;
  /** Conversations whose events are not exactly those of so many steps, with what is wrong. */
  readonly wrongCounts: readonly string[];
  /** The acts of the frozen worker after it woke. */
  readonly zombie: { readonly effects: number; readonly result: string | undefined; readonly wasTakenOver: boolean };
}

/**
 * Runs conversations on three workers, kills workers, freezes one between the begin of an action and its effect, and restarts the server.
 */
export async function killTest(options: KillTestOptions): Promise<KillTestReport> {
  const { server, conversations, steps, leaseMs } = options;
  const name = `kill-${randomUUID()}`;
  const pool = new pg.Pool({ connectionString: server.url, max: 4 });
  pool.on('error', () => undefined);
  await migrate(pool);
  await pool.query('create table if not exists effects (run text, conversation text, step int, action text)');
  const store = postgresEventStore({ client: pool });
  const model = await scriptedServer('openai', (body) => nextStep(body as unknown as Request, steps));
  const program = await bundledProgram('worker');
  const ids = Array.from({ length: conversations }, (_, index) => `${name}-${index}`);
  const frozenConversation = ids[1] ?? '';
  const setting = { url: server.url, modelUrl: model.baseURL, name, leaseMs };
  const seen = new Map<string, Set<string>>(ids.map((id) => [id, new Set()]));
  const failures: string[] = [];
  let stored = 0;
  let isFrozen = false;
  let zombie: { readonly worker: ChildProcess; readonly actionId: string } | undefined;
  let isOver = false;
  const workers: ChildProcess[] = [];
  const begin = () => {
    const more = isFrozen ? {} : { frozenConversation, frozenStep: 3 };
    const worker = fork(program, [JSON.stringify({ ...setting, ...more } satisfies WorkerSetting)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    worker.on('message', (message: FromWorker) => {
      if (message.type === 'stored') {
        stored++;
        seen.get(message.conversationId)?.add(message.id);
      }
      if (message.type === 'end' && message.end === 'failed' && !message.isTriedAgain)
        failures.push(String(message.error));
      if (message.type === 'freezes') {
        isFrozen = true;
        zombie = { worker, actionId: message.actionId };
      }
    });
    worker.on('exit', (code, signal) => {
      workers.splice(workers.indexOf(worker), 1);
      // One that ended by itself is a fault of the runner.
      if (!isOver && signal !== 'SIGKILL') failures.push(`A worker ended with ${String(code ?? signal)}.`);
      if (!isOver) begin();
    });
    workers.push(worker);
  };
  const client = dbosRunner({ url: server.url, name, open: () => Promise.reject(new Error()), onEnd: () => undefined });
  try {
    const agent = new Agent({ llm: scriptedLLM({ script: [] }), systemPrompt: 'You take steps.' });
    for (const conversationId of ids) {
      await (await Conversation.open({ agent, store, conversationId })).send(`Take ${steps} steps.`);
      await client.enqueue(conversationId);
    }
    for (let count = 0; count < 3; count++) begin();
    // Begun evenly over what is stored: three events a step at the least.
    const every = (conversations * steps * 2.5) / (options.kills + 2);
    let kills = 0;
    let restarts = 0;
    for (let due = every; ;) {
      if (failures.length > 0) throw new Error(failures.join('\n'));
      const finished = await finishedOf(store, ids);
      if (finished === ids.length) break;
      // Not before one is frozen: it might be the one that is killed, in the moment in which it says so.
      if (zombie !== undefined && stored >= due && kills < options.kills) {
        due += every;
        const frozen = zombie.worker;
        const alive = workers.filter((worker) => worker !== frozen);
        alive[kills % alive.length]?.kill('SIGKILL');
        kills++;
        if (kills === Math.ceil(options.kills / 2) && server.restart !== undefined) {
          await server.restart();
          restarts++;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const awake = await woken(store, pool, frozenConversation, zombie);
    isOver = true;
    const ended = workers.map((worker) => once(worker, 'exit'));
    for (const worker of workers) worker.send('stop');
    await Promise.all(ended);
    return { kills, restarts, ...(await found(store, pool, { ids, steps, seen, name })), zombie: awake };
  } finally {
    isOver = true;
    for (const worker of workers) worker.kill('SIGKILL');
    await client.stop();
    await model.close();
    await pool.end();
  }
}

/** Lets the frozen worker go on, whose conversation has ended elsewhere, and waits for its action to take effect. */
async function woken(
  store: EventStore,
  pool: pg.Pool,
  conversationId: string,
  zombie: { readonly worker: ChildProcess; readonly actionId: string } | undefined,
) {
  if (zombie === undefined) return { effects: 0, result: undefined, wasTakenOver: false };
  const effects = async () => {
    const { rows } = await pool.query('select from effects where action = $1', [zombie.actionId]);
    return rows.length;
  };
  const before = await eventsOf(store, conversationId);
  const result = before.find((event) => 'actionId' in event && event.actionId === zombie.actionId)?.type;
  const ended = new Promise<void>((resolve) => {
    zombie.worker.on('message', (message: FromWorker) => {
      if (message.type === 'end' && message.conversationId === conversationId) resolve();
    });
  });
  const hadEffect = (await effects()) > 0;
  zombie.worker.kill('SIGCONT');
  await ended;
  // The run may end before its tool does, whom nobody can hold up.
  while ((await effects()) === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  const after = await eventsOf(store, conversationId);
  return { effects: await effects(), result, wasTakenOver: !hadEffect && after.length === before.length };
}

interface Request {
  readonly messages: readonly {
    readonly role: string;
    readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[];
  }[];
}

/** The step after the newest one that the model is shown. What was lost is not tried again. */
function nextStep({ messages }: Request, steps: number) {
  const newest = messages.flatMap(({ tool_calls: calls = [] }) => calls).at(-1);
  const step = newest === undefined ? 1 : (JSON.parse(newest.function.arguments) as { step: number }).step + 1;
  if (step > steps) return { text: 'All steps are taken.' };
  return { calls: [{ id: `call_${step}`, name: step % 2 === 1 ? 'act' : 'note', input: { step } }] };
}

async function eventsOf(store: EventStore, conversationId: string): Promise<readonly Event[]> {
  const events: Event[] = [];
  for await (const event of store.read(conversationId)) events.push(event);
  return events;
}

async function finishedOf(store: EventStore, ids: readonly string[]): Promise<number> {
  let finished = 0;
  for (const id of ids) {
    // While the server restarts, nothing can be read.
    const events = await eventsOf(store, id).catch(() => []);
    if (!events.some((event) => event.type === 'conversation-state-update' && event.value === 'finished'))
      return finished;
    finished++;
  }
  return finished;
}

async function found(
  store: EventStore,
  pool: pg.Pool,
  { ids, steps, seen, name }: { ids: readonly string[]; steps: number; seen: Map<string, Set<string>>; name: string },
): Promise<Omit<KillTestReport, 'kills' | 'restarts' | 'zombie'>> {
  const { rows } = await pool.query<{ action: string; count: string }>(
    'select action, count(*) as count from effects where run = $1 group by action',
    [name],
  );
  const effects = new Map(rows.map(({ action, count }) => [action, Number(count)]));
  const report = {
    finished: 0,
    condensations: 0,
    lost: 0,
    repeated: 0,
    unsafeRepeats: 0,
    withoutEffect: 0,
    eventsLost: 0,
  };
  const wrongCounts: string[] = [];
  for (const id of ids) {
    const events = await eventsOf(store, id);
    const kept = new Set(events.map((event) => event.id));
    for (const event of seen.get(id) ?? []) if (!kept.has(event)) report.eventsLost++;
    const actions = events.filter((event): event is ActionEvent => event.type === 'action');
    const count = (is: (event: Event) => boolean) => events.filter(is).length;
    const results = events.filter(({ type }) => type === 'observation' || type === 'agent-error');
    const counts = {
      instructions: count(({ type }) => type === 'system-prompt'),
      messages: count(({ type }) => type === 'message'),
      steps: new Set(actions.map(({ toolCall }) => (JSON.parse(toolCall.arguments) as { step: number }).step)).size,
      actions: actions.length,
      results: new Set(results.map((event) => ('actionId' in event ? event.actionId : undefined))).size,
      resultEvents: results.length,
      modelCalls: count((event) => event.type === 'llm-usage' && event.purpose === 'agent'),
      finished: count((event) => event.type === 'conversation-state-update' && event.value === 'finished'),
    };
    const expected = {
      // Of the process that sent the message, which has no tools, and of the workers.
      instructions: 2,
      messages: 2,
      steps,
      actions: steps,
      results: steps,
      resultEvents: steps,
      modelCalls: steps + 1,
      finished: 1,
    };
    if (JSON.stringify(counts) !== JSON.stringify(expected)) wrongCounts.push(`${id}: ${JSON.stringify(counts)}`);
    report.finished += counts.finished;
    report.condensations += count(({ type }) => type === 'condensation');
    for (const action of actions) {
      const times = effects.get(action.id) ?? 0;
      const result = results.find((event) => 'actionId' in event && event.actionId === action.id);
      if (result?.type === 'agent-error') report.lost++;
      else if (times === 0) report.withoutEffect++;
      if (times > 1 && action.toolCall.name === 'note') report.repeated++;
      if (times > 1 && action.toolCall.name === 'act') report.unsafeRepeats++;
    }
  }
  return { ...report, wrongCounts };
}
