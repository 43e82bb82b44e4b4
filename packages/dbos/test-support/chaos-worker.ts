// A worker of the chaos run: bundled and started many times.
import process from 'node:process';
import { Agent, Conversation } from '@palimpsest/agent';
import { defineTool } from '@palimpsest/events';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import { connectionsBeside, postgresEventStore, postgresInbox } from '@palimpsest/postgres';
import pg from 'pg';
import { z } from 'zod';
import { dbosRunner } from '../src/index.js';

/** The setting with which a worker is started. */
export interface ChaosWorkerSetting {
  readonly url: string;
  readonly modelUrl: string;
  readonly name: string;
  readonly places: number;
  readonly leaseMs: number;
}

/** A message of a worker to the chaos run. */
export interface FromChaosWorker {
  readonly type: 'ended' | 'failed' | 'tried-again' | 'handed-over' | 'cancelled' | 'works';
  readonly error?: string;
}

const { url, modelUrl, name, places, leaseMs } = JSON.parse(process.argv[2] ?? '{}') as ChaosWorkerSetting;
const pool = new pg.Pool({ connectionString: url, max: 6 });
pool.on('error', () => undefined);
const store = postgresEventStore({ client: pool, connect: connectionsBeside(pool), leaseMs });
const inbox = postgresInbox({ client: pool });
const llm = openaiLLM({ baseURL: modelUrl, apiKey: 'none', model: 'gpt-4o-mini', retry: { attempts: 1 } });
const tell = (message: FromChaosWorker) => void process.send?.(message);

/** The effect of an action, in a service that answers whatever becomes of the worker's connections. */
async function takeEffect(conversationId: string, action: string, actionId: string): Promise<void> {
  for (;;) {
    try {
      await pool.query('insert into effects (run, conversation, tool, action) values ($1, $2, $3, $4)', [
        name,
        conversationId,
        action,
        actionId,
      ]);
      return;
    } catch (error) {
      // Not taken: the connection was refused, or ended before the insert was sent. An insert whose answer is lost may have been taken.
      const { code } = error as { readonly code?: string };
      if (code !== 'ECONNREFUSED' && code !== '57P03') throw error;
    }
  }
}

const toolsOf = (conversationId: string) =>
  (['act', 'note', 'explode'] as const).map((tool) =>
    defineTool({
      name: tool,
      description: 'Does something.',
      input: z.object({}),
      // One that ends its process without being repeatable is answered as lost, and the model's third try ends its run as stuck.
      annotations: { repeatable: tool !== 'act' },
      execute: async (_, { actionId }) => {
        if (tool === 'explode') process.kill(process.pid, 'SIGKILL');
        await takeEffect(conversationId, tool, actionId);
        return 'It is done.';
      },
    }),
  );
const runner = dbosRunner({
  url,
  name,
  inbox,
  leaseMs,
  pollMs: 200,
  sweepMs: 500,
  retryMs: 200,
  maxConcurrentRuns: places,
  maxStoreRetries: 1_000,
  providerOf: () => 'openai',
  open: (conversationId) =>
    Conversation.open({ agent: new Agent({ llm, tools: toolsOf(conversationId) }), store, conversationId }),
  onEnd: (end) => {
    if (end.type !== 'failed') tell({ type: end.type });
    else if (end.retryInMs !== undefined) tell({ type: 'tried-again', error: String(end.error) });
    else tell({ type: 'failed', error: String(end.error) });
  },
});
const stop = () => void runner.stop({ graceMs: 5_000 }).then(() => process.exit(0));
process.on('SIGTERM', stop);
process.on('disconnect', () => process.exit(1));
// The server may have ended the connection of the start.
while (
  !(await runner.start().then(
    () => true,
    () => false,
  ))
)
  await new Promise((resolve) => setTimeout(resolve, 100));
tell({ type: 'works' });
