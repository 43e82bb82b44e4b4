// A worker of the bench: a program that is started many times.
import process from 'node:process';
import { setTimeout as elapsed } from 'node:timers/promises';
import { Agent, Conversation } from '@palimpsest/agent';
import { inProcessRunner } from '@palimpsest/agent/runner';
import type { ConversationWorkOptions } from '@palimpsest/agent/runner';
import { dbosRunner } from '@palimpsest/dbos';
import { defineTool, memoryEventStore } from '@palimpsest/events';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import { connectionsBeside, postgresEventStore, postgresInbox } from '@palimpsest/postgres';
import pg from 'pg';
import { z } from 'zod';
import type { FromProgram, WorkerSetting } from './setting.js';

const setting = JSON.parse(process.argv[2] ?? '{}') as WorkerSetting;
const { url, modelUrl, runner: options, inMemory = 0 } = setting;
const tell = (message: FromProgram) => process.send?.(message);

const pool = new pg.Pool({ connectionString: url, max: 10 });
pool.on('error', () => undefined);
const store =
  inMemory > 0
    ? memoryEventStore()
    : postgresEventStore({
        client: pool,
        connect: connectionsBeside(pool),
        ...(options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs }),
      });
const work = defineTool({
  name: 'work',
  description: 'Takes a step.',
  input: z.object({ step: z.number(), ms: z.number() }),
  execute: async ({ step, ms }) => {
    if (ms > 0) await elapsed(ms);
    return `Step ${step} is done. ${'It took a while. '.repeat(20)}`;
  },
});
const agent = new Agent({
  llm: openaiLLM({ baseURL: modelUrl, apiKey: 'none', model: 'gpt-4o-mini' }),
  tools: [work],
});
let steps = 0;
let runs = 0;
const shared: ConversationWorkOptions = {
  open: async (conversationId) => {
    const conversation = await Conversation.open({ agent, store, conversationId });
    conversation.events.observe(({ type }) => {
      if (type === 'observation') steps++;
      if (setting.tells === true) tell({ type: 'stored', conversationId });
    });
    return conversation;
  },
  onEnd: (end) => {
    if (end.type === 'ended') runs++;
    if (end.type === 'failed' && end.retryInMs === undefined) tell({ type: 'failed', error: String(end.error) });
  },
};
const runner =
  inMemory > 0
    ? inProcessRunner({ ...shared, ...options })
    : dbosRunner({ ...shared, ...options, url, inbox: postgresInbox({ client: pool }) });
process.on('message', (message) => {
  if (message === 'stop') return void runner.stop({ graceMs: 0 }).then(() => process.exit(0));
  const { user, system } = process.cpuUsage();
  tell({ type: 'figures', steps, runs, cpuMs: (user + system) / 1_000 });
});
process.on('disconnect', () => process.exit(1));
for (let index = 0; index < inMemory; index++) {
  const conversation = await Conversation.open({ agent, store, conversationId: `memory-${index}` });
  await conversation.send(setting.message ?? '');
  await runner.enqueue(conversation.id);
}
await runner.start();
tell({ type: 'ready' });
