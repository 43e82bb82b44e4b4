// A worker whose condenser asks a model of its own: started by the test of takeovers in the middle of a condensation.
import process from 'node:process';
import { Agent, Conversation, ConversationRunError } from '@palimpsest/agent';
import type { Limits } from '@palimpsest/agent';
import { llmSummarizingCondenser } from '@palimpsest/condensers';
import { defineTool } from '@palimpsest/events';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import { postgresEventStore } from '@palimpsest/postgres';
import pg from 'pg';
import { z } from 'zod';
import { dbosRunner } from '../src/index.js';

/** The setting with which the worker is started. */
export interface CondensingWorkerSetting {
  readonly url: string;
  readonly name: string;
  readonly leaseMs: number;
  /** By their ids. */
  readonly conversations: Readonly<Record<string, CondensingConversation>>;
}

/** The setting of a conversation. */
export interface CondensingConversation {
  readonly modelUrl: string;
  readonly summariserUrl: string;
  readonly background: boolean;
  /** @defaultValue none */
  readonly limits?: Partial<Limits>;
}

/** A message of the worker to the test. */
export type FromCondensingWorker =
  | { readonly type: 'works' }
  | {
      readonly type: 'end';
      readonly conversationId: string;
      /** The status in which the run ended, or `failed`, or `handed-over`. */
      readonly end: string;
      readonly error?: string | undefined;
    };

const setting = JSON.parse(process.argv[2] ?? '{}') as CondensingWorkerSetting;
const { url, name, leaseMs, conversations } = setting;
const pool = new pg.Pool({ connectionString: url, max: 10 });
pool.on('error', () => undefined);
const store = postgresEventStore({ client: pool, connect: () => pool.connect(), leaseMs });
const tell = (message: FromCondensingWorker) => void process.send?.(message);

const prices = { input: 0.15, cacheRead: 0.075, cacheWrite: 0.15, output: 0.6 };
const modelAt = (baseURL: string) => openaiLLM({ baseURL, apiKey: 'none', model: 'gpt-4o-mini', prices });
const tool = (toolName: string) =>
  defineTool({
    name: toolName,
    description: 'Takes a step.',
    input: z.object({ step: z.number() }),
    execute: ({ step }) => `Step ${step} is taken. ${'It took a while. '.repeat(40)}`,
  });
const agentOf = ({ modelUrl, summariserUrl, background }: CondensingConversation) =>
  new Agent({
    llm: modelAt(modelUrl),
    tools: [tool('act'), tool('order')],
    confirmation: ({ toolCall }) => toolCall.name === 'order',
    condenser: llmSummarizingCondenser({ llm: modelAt(summariserUrl), maxSize: 12, keepFirst: 2, background }),
  });
const runner = dbosRunner({
  url,
  name,
  leaseMs,
  pollMs: 50,
  sweepMs: 200,
  retryMs: 100,
  open: (conversationId) => {
    const conversation = conversations[conversationId];
    if (conversation === undefined) throw new Error(`No conversation is '${conversationId}'.`);
    const { limits = {} } = conversation;
    return Conversation.open({ agent: agentOf(conversation), store, conversationId, limits });
  },
  onEnd: (end) => {
    const { conversationId } = end;
    if (end.type === 'ended') tell({ type: 'end', conversationId, end: end.outcome.status });
    else if (end.type !== 'failed') tell({ type: 'end', conversationId, end: end.type });
    else if (end.retryInMs === undefined) {
      const cause = ConversationRunError.isInstance(end.error) ? end.error.cause : end.error;
      tell({ type: 'end', conversationId, end: end.type, error: (cause as { code?: string }).code ?? String(cause) });
    }
  },
});
process.on('message', (message) => {
  if (message === 'stop') void runner.stop().then(() => process.exit(0));
});
process.on('disconnect', () => process.exit(1));
await runner.start();
tell({ type: 'works' });
