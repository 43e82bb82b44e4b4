// A worker that some conversations end: started again and again by tests and by the bench of failures.
import process from 'node:process';
import { setTimeout as elapsed } from 'node:timers/promises';
import { Agent, Conversation } from '@palimpsest/agent';
import { defineTool } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { postgresEventStore, postgresInbox } from '@palimpsest/postgres';
import pg from 'pg';
import { z } from 'zod';
import { dbosRunner } from '../src/index.js';

/** The setting with which the worker is started. */
export interface MortalWorkerSetting {
  readonly url: string;
  readonly name: string;
  readonly places: number;
  /** Conversations whose id begins so end their process. @defaultValue 'poison' */
  readonly poison?: string;
}

/** A message of the worker to the test. */
export type FromMortalWorker =
  | { readonly type: 'works' }
  | { readonly type: 'end'; readonly conversationId: string; readonly end: string; readonly code?: string | undefined };

const { url, name, places, poison = 'poison' } = JSON.parse(process.argv[2] ?? '{}') as MortalWorkerSetting;
const pool = new pg.Pool({ connectionString: url, max: 10 });
pool.on('error', () => undefined);
const store = postgresEventStore({ client: pool, connect: () => pool.connect() });
const inbox = postgresInbox({ client: pool });
const tell = (message: FromMortalWorker) => void process.send?.(message);

const toolOf = (conversationId: string) =>
  defineTool({
    name: 'work',
    description: 'Works, or ends the process.',
    input: z.object({}),
    annotations: { repeatable: true },
    execute: async () => {
      // As long as it takes for a death beside it to come in between.
      await elapsed(conversationId.startsWith('innocent') ? 1_500 : 300);
      if (conversationId.startsWith(poison)) process.kill(process.pid, 'SIGKILL');
      return 'It is done.';
    },
  });
const open = (conversationId: string) => {
  // Works first, then answers; a chat answers only.
  const llm = scriptedLLM({
    script: ({ messages }) => {
      const hasWorked = messages.some(({ role }) => role === 'tool');
      return hasWorked || conversationId.startsWith('chat') ? 'Done.' : { toolCalls: [{ name: 'work', id: 'call_1' }] };
    },
  });
  return Conversation.open({ agent: new Agent({ llm, tools: [toolOf(conversationId)] }), store, conversationId });
};
const runner = dbosRunner({
  url,
  name,
  inbox,
  open,
  maxConcurrentRuns: places,
  pollMs: 50,
  sweepMs: 200,
  retryMs: 50,
  onEnd: (end) => {
    const { conversationId } = end;
    if (end.type !== 'failed') tell({ type: 'end', conversationId, end: end.type });
    else if (end.retryInMs === undefined) {
      const { code } = end.error as { readonly code?: string };
      tell({ type: 'end', conversationId, end: 'failed', code });
    }
  },
});
process.on('message', (message) => {
  if (message === 'stop') void runner.stop().then(() => process.exit(0));
});
process.on('disconnect', () => process.exit(1));
await runner.start();
tell({ type: 'works' });
