import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { limitedLLM, rateLimit } from '@palimpsest/llm-adapters';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import { openaiServer } from '@palimpsest/provider-servers';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { bundledProgram } from '../test-support/bundled-program.js';
import { nextMessage } from '../test-support/next-message.js';
import { migrate, postgresRateLimitStore } from './index.js';

const url = inject('postgresUrl') ?? '';

/**
 * A provider that lets 80 requests through at once, and some more each second: counted from `begin` on, for on a slow machine requests that
 * left one after another arrive together, however late.
 */
async function strictProvider(perSecond = 20) {
  let begun = performance.now();
  let taken = 0;
  const server = await openaiServer({
    reply: () => {
      const allowed = 80 + ((performance.now() - begun) / 1_000) * perSecond;
      if (taken + 1 > allowed) return { fault: 'rate-limit', retryAfterSeconds: 1 };
      taken++;
      return { message: { content: 'Hello.' } };
    },
  });
  onTestFinished(() => server.close());
  return { ...server, begin: () => void (begun = performance.now()) };
}

describe.skipIf(url === '')('processes that share a limit', () => {
  const pool = new pg.Pool({ connectionString: url });
  pool.on('error', () => undefined);
  afterAll(() => pool.end());

  let program: string;
  beforeAll(async () => {
    program = await bundledProgram('limited-process');
  });

  async function newSchema() {
    const schema = `rates_${randomUUID()}`;
    await migrate(pool, { schema });
    return schema;
  }

  async function started(schema: string, baseURL: string, calls: number) {
    const child = fork(program, [url, schema, baseURL, String(calls)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await nextMessage(child);
    return child;
  }

  test('are never refused together, and go on when one of them is killed', async () => {
    const [schema, provider] = [await newSchema(), await strictProvider()];
    const children = await Promise.all([1, 2, 3].map(() => started(schema, provider.baseURL, 30)));
    const killed = await started(schema, provider.baseURL, 1_000);
    const ended = Promise.all(children.map(nextMessage));
    let isOver = false;
    void ended.catch(() => undefined).then(() => (isOver = true));
    provider.begin();
    for (const child of [...children, killed]) child.send('go');
    // By then the burst is used up, and calls wait.
    while (provider.requests.length < 60 && !isOver) await new Promise((resolve) => setTimeout(resolve, 5));
    killed.kill('SIGKILL');
    expect(await ended).toEqual([{ refusals: [] }, { refusals: [] }, { refusals: [] }]);
    // What the dead one had still to ask holds nobody back: its place passes.
    const limit = rateLimit({
      requestsPerMinute: 1_200,
      store: postgresRateLimitStore({ client: pool, name: 'a limit', schema }),
    });
    const llm = limitedLLM(openaiLLM({ model: 'gpt-4o', apiKey: 'a-key', baseURL: provider.baseURL }), { limit });
    await llm.complete({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello?' }] }] });
  });

  test('would be refused without it', async () => {
    const provider = await strictProvider(0);
    const llm = openaiLLM({ model: 'gpt-4o', apiKey: 'a-key', baseURL: provider.baseURL, retry: { attempts: 1 } });
    const calls = Array.from({ length: 200 }, () =>
      llm.complete({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello?' }] }] }),
    );
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0);
  });

  test('send nothing while the database is gone', async () => {
    const provider = await strictProvider();
    const gone = new pg.Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/nothing' });
    onTestFinished(() => gone.end());
    const store = postgresRateLimitStore({ client: gone, name: 'a limit' });
    const llm = limitedLLM(openaiLLM({ model: 'gpt-4o', apiKey: 'a-key', baseURL: provider.baseURL }), {
      limit: rateLimit({ requestsPerMinute: 1_200, store }),
    });
    const call = llm.complete({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello?' }] }] });
    await expect(call).rejects.toThrow(/PostgreSQL could not reserve a place of the limit 'a limit'/);
    await expect(call).rejects.toMatchObject({ name: 'EventStoreError' });
    expect(provider.requests).toEqual([]);
  });
});
