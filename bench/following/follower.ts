import { setMaxListeners } from 'node:events';
import process from 'node:process';
import { setTimeout as elapsed } from 'node:timers/promises';
import { Agent, Conversation } from '@palimpsest/agent';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { connectionsBeside, postgresEventStore, postgresLive } from '@palimpsest/postgres';
import type { PostgresClient } from '@palimpsest/postgres';
import pg from 'pg';

/** The followers of a round. */
export interface Following {
  readonly url: string;
  readonly schema: string;
  readonly ids: readonly string[];
  /** They are told of appends. */
  readonly isTold: boolean;
  /** The number of events that they wait for, together. */
  readonly events: number;
}

/** Sent when the followers have seen all events. */
export interface Followed {
  /** The number of their statements. */
  readonly asked: number;
}

const { url, schema, ids, isTold, events } = JSON.parse(process.argv[2] ?? '{}') as Following;
const pool = new pg.Pool({ connectionString: url, max: 4 });
let asked = 0;
const client: PostgresClient = {
  query: (text, params) => {
    asked++;
    return pool.query(text, params);
  },
};
const live = postgresLive({ client, connect: connectionsBeside(pool), channel: schema });
const store = postgresEventStore({ client, schema });
const agent = new Agent({ llm: scriptedLLM({ script: [] }) });
const stop = new AbortController();
setMaxListeners(ids.length + 1, stop.signal);
let seen = 0;
for (const conversationId of ids) {
  const conversation = await Conversation.open({ agent, store, conversationId, ...(isTold ? { live } : {}) });
  void follow(conversation);
}
// Until all of them listen.
await elapsed(300);
asked = 0;
process.send?.('follows');

async function follow(conversation: Conversation): Promise<void> {
  for await (const _event of conversation.follow({ signal: stop.signal }))
    if (++seen === events) process.send?.({ asked } satisfies Followed);
}
