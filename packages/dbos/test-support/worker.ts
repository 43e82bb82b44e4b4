// A worker of the kill test: bundled and started many times.
import process from 'node:process';
import { Agent, Conversation } from '@palimpsest/agent';
import { amortizedForgettingCondenser } from '@palimpsest/condensers';
import { defineTool } from '@palimpsest/events';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import { postgresEventStore } from '@palimpsest/postgres';
import pg from 'pg';
import { z } from 'zod';
import { dbosRunner } from '../src/index.js';
import type { FromWorker, WorkerSetting } from './worker-setting.js';

const setting = JSON.parse(process.argv[2] ?? '{}') as WorkerSetting;
const { url, modelUrl, name, leaseMs, frozenConversation, frozenStep } = setting;

const pool = new pg.Pool({ connectionString: url, max: 10 });
// The server is restarted: what fails for it is told by whoever asked.
pool.on('error', () => undefined);
const store = postgresEventStore({ client: pool, connect: () => pool.connect(), leaseMs, namedStatements: true });
const tell = (message: FromWorker) =>
  new Promise<void>((resolve) => {
    if (process.send === undefined) resolve();
    else process.send(message, () => resolve());
  });

/** The effect of a step, as a service would keep it: an insert that waits for the server to come back. */
async function takeEffect(conversationId: string, step: number, actionId: string, service = pool): Promise<void> {
  const values = [name, conversationId, step, actionId];
  for (;;) {
    try {
      await service.query('insert into effects (run, conversation, step, action) values ($1, $2, $3, $4)', values);
      return;
    } catch (error) {
      // The server refuses while it starts, and has not taken the insert then.
      if ((error as { code?: string }).code !== '57P03' && (error as { code?: string }).code !== 'ECONNREFUSED')
        throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

const tool = (conversationId: string, toolName: string, repeatable: boolean) =>
  defineTool({
    name: toolName,
    description: 'Does a step.',
    input: z.object({ step: z.number() }),
    annotations: { repeatable },
    execute: async ({ step }, { actionId }) => {
      if (conversationId === frozenConversation && step === frozenStep) {
        await tell({ type: 'freezes', pid: process.pid, actionId });
        // Between the begin of the action and its effect.
        process.kill(process.pid, 'SIGSTOP');
        // By connections of its own: those that the pool has may have ended meanwhile, with the server.
        const service = new pg.Pool({ connectionString: url, max: 1 });
        await takeEffect(conversationId, step, actionId, service);
        await service.end();
        return 'It took effect late.';
      }
      await takeEffect(conversationId, step, actionId);
      return `Step ${step} is done. ${'It took a while. '.repeat(10)}`;
    },
  });

const llm = openaiLLM({ baseURL: modelUrl, apiKey: 'none', model: 'gpt-4o-mini' });
const runner = dbosRunner({
  url,
  name,
  leaseMs,
  pollMs: 50,
  sweepMs: 300,
  retryMs: 100,
  // However long the server takes to restart.
  maxStoreRetries: Number.MAX_SAFE_INTEGER,
  maxConcurrentRuns: 5,
  open: async (conversationId) => {
    const agent = new Agent({
      llm,
      condenser: amortizedForgettingCondenser({ maxSize: 12, keepFirst: 2 }),
      tools: [tool(conversationId, 'act', false), tool(conversationId, 'note', true)],
    });
    const conversation = await Conversation.open({ agent, store, conversationId });
    // Each of them is in the store by now, and may not be lost.
    conversation.events.observe(({ id }) => void tell({ type: 'stored', conversationId, id }));
    return conversation;
  },
  onEnd: (end) => {
    const { conversationId, type } = end;
    const failure = type === 'failed' ? { error: String(end.error), isTriedAgain: end.retryInMs !== undefined } : {};
    void tell({ type: 'end', conversationId, end: type, ...failure });
  },
  onTrouble: (error) => void tell({ type: 'trouble', error: String(error) }),
});
const hasStarted = () =>
  runner.start().then(
    () => true,
    (error: unknown) => void tell({ type: 'trouble', error: String(error) }),
  );
process.on('message', (message) => {
  if (message === 'stop') void runner.stop().then(() => process.exit(0));
});
process.on('disconnect', () => process.exit(1));
// The server may be restarted just now.
while (!(await hasStarted())) await new Promise((resolve) => setTimeout(resolve, 50));
await tell({ type: 'works' });
