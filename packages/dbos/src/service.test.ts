import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { openaiServer } from '@palimpsest/provider-servers';
import type { ProviderServer } from '@palimpsest/provider-servers';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

const root = path.join(import.meta.dirname, '../../..');
const url = inject('postgresUrl') ?? '';

interface Service {
  readonly worker: ChildProcess;
  readonly url: string;
}

/** The behaviour of the model in a test: its first answer waits for `until`, and the one with this number, from 0, is an order. */
let scenario: { readonly until: Promise<void>; readonly orderAt: number; asked: number; answered: number };
let model: ProviderServer;
/** Two of `examples/service` on one database. */
let services: readonly [Service, Service];
/** They are ended also where not all have come up. */
const workers: ChildProcess[] = [];

beforeAll(async () => {
  if (url === '') return;
  const tea = { id: 'call_1', type: 'function', function: { name: 'order', arguments: '{"what":"tea"}' } };
  model = await openaiServer({
    reply: () => ({
      message:
        scenario.answered++ === scenario.orderAt ? { content: null, tool_calls: [tea] } : { content: 'It is ordered.' },
    }),
    faults: () => (scenario.asked++ === 0 ? { fault: 'slow-first-byte', until: scenario.until } : undefined),
  });
  const environment = {
    PALIMPSEST_POSTGRES_URL: url,
    OPENAI_BASE_URL: model.baseURL,
    OPENAI_API_KEY: 'a-key',
    MODEL: 'gpt-4o-mini',
  };
  services = await Promise.all([service(environment), service(environment)]);
});
afterAll(async () => {
  if (url === '') return;
  for (const worker of workers) worker.kill('SIGKILL');
  await model.close();
});

/** The conversations that each of them runs. */
const runningIn = (services: readonly { readonly url: string }[]) =>
  Promise.all(
    services.map(async ({ url }) => ((await (await fetch(`${url}/status`)).json()) as { running: string[] }).running),
  );

/** Starts `examples/service` in the repository. */
async function service(environment: Record<string, string>): Promise<Service> {
  const arguments_ = ['--import', 'tsx', '--conditions=@palimpsest/source', 'examples/service/service.ts'];
  const worker = spawn(process.execPath, arguments_, {
    cwd: root,
    env: { ...process.env, ...environment, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  workers.push(worker);
  let output = '';
  const port = await new Promise<string>((resolve, reject) => {
    worker.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const found = /listening on port (\d+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    worker.once('exit', (code) => reject(new Error(`It ended with ${String(code)}: ${output}`)));
  });
  return { worker, url: `http://127.0.0.1:${port}` };
}

async function post(url: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(url, { method: 'POST', headers, ...(body && { body: JSON.stringify(body) }) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

interface SentEvent {
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The events of a conversation, until one is the last that is wanted. */
async function eventsUntil(
  url: string,
  isLast: (data: SentEvent['data']) => boolean,
  headers: Record<string, string> = {},
): Promise<readonly SentEvent[]> {
  const leaving = new AbortController();
  const response = await fetch(`${url}/events`, { headers, signal: leaving.signal });
  const events: SentEvent[] = [];
  let text = '';
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      // Words of an answer in progress are no events.
      if (block.startsWith('event: words')) continue;
      const [id = '', , data = ''] = block.split('\n').map((line) => line.slice(line.indexOf(':') + 2));
      events.push({ id, data: JSON.parse(data) as SentEvent['data'] });
      if (!isLast(events.at(-1)?.data ?? {})) continue;
      leaving.abort();
      return events;
    }
  }
  throw new Error('The stream ended.');
}

const isStatus = (value: string) => (data: SentEvent['data']) =>
  data['type'] === 'conversation-state-update' && data['value'] === value;

test.skipIf(url === '')(
  'the service keeps a message for a conversation that another process runs, asks a person, and streams what happens',
  async () => {
    let answer: () => void = () => undefined;
    const until = new Promise<void>((resolve) => (answer = resolve));
    scenario = { until, orderAt: 0, asked: 0, answered: 0 };
    const id = `conversations/${randomUUID()}`;

    expect(await post(`${services[0].url}/${id}/messages`, { text: '' })).toMatchObject({ status: 400 });
    const book = { text: 'tea '.repeat(1_000_000) };
    expect(await post(`${services[0].url}/${id}/messages`, book)).toMatchObject({ status: 413 });
    for (const last of ['-1.5', 'tea']) {
      const headers = { 'last-event-id': last };
      expect((await fetch(`${services[0].url}/${id}/events`, { headers })).status, last).toBe(400);
    }
    expect(await post(`${services[0].url}/${id}/nothing`)).toMatchObject({ status: 404 });
    for (const odd of ['', '%E0%A4%A', 'x'.repeat(513)]) {
      const sent = await post(`${services[0].url}/conversations/${odd}/messages`, { text: 'Order tea.' });
      expect(sent.status, odd).toBe(400);
    }
    expect(await post(`${services[0].url}/${id}/messages`, { text: 'Order tea.' })).toMatchObject({ status: 202 });
    while (scenario.asked === 0) await new Promise((resolve) => setTimeout(resolve, 20));

    // The model is being asked, by one of them.
    const busy = await runningIn(services);
    expect(busy.map(({ length }) => length).sort()).toEqual([0, 1]);
    const other = `${services[busy[0]?.length === 0 ? 0 : 1].url}/${id}`;
    expect((await post(`${other}/approve`)).status).toBe(409);
    for (const _ of [1, 2]) {
      const sent = await post(`${other}/messages`, { text: 'And quickly.' }, { 'idempotency-key': 'a-key' });
      expect(sent).toEqual({ status: 202, body: { message: 'a-key' } });
    }
    answer();
    const before = await eventsUntil(other, isStatus('waiting-for-confirmation'), { 'last-event-id': '' });

    // A run for the message may hold the conversation for a moment.
    for (let answered: unknown = 0; answered !== 1;) {
      const { status, body } = await post(`${other}/approve`);
      if (status !== 409) expect(status).toBe(202);
      answered = body['answered'];
    }
    const last = before.at(-1)?.id ?? '';
    const after = await eventsUntil(other, isStatus('finished'), { 'last-event-id': last });
    const events = [...before, ...after];
    expect(events.map((event) => event.id)).toEqual(events.map((_, index) => String(index)));
    const messages = events.filter(({ data }) => data['type'] === 'message' && data['source'] === 'user');
    expect(messages.map(({ data }) => data['content'])).toEqual(
      ['Order tea.', 'And quickly.'].map((text) => [{ type: 'text', text }]),
    );
    expect(JSON.stringify(events.filter(({ data }) => data['type'] === 'observation'))).toContain(
      'Ordered tea, number',
    );
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('And quickly.');
  },
);

test.skipIf(url === '')(
  'a stop interrupts the run of another process, and changes nothing where a person is waited for or all is done',
  async () => {
    // The model never gives its first answer.
    scenario = { until: new Promise<void>(() => undefined), orderAt: 1, asked: 0, answered: 0 };
    const id = `conversations/${randomUUID()}`;
    await post(`${services[0].url}/${id}/messages`, { text: 'Order tea.' });
    while (scenario.asked === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    const busy = await runningIn(services);
    const other = `${services[busy[0]?.length === 0 ? 0 : 1].url}/${id}`;
    expect(await post(`${other}/stop`)).toEqual({ status: 202, body: { stopped: 1 } });
    let seen = await eventsUntil(other, isStatus('paused'));
    /** Stops what rests. DBOS notes the end of a run a little later than its worker: until then there is one to stop. */
    const stopAtRest = async () => {
      while ((await runningIn(services)).flat().length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
      for (let count: unknown = 1; count !== 0;) {
        const { status, body } = await post(`${other}/stop`);
        expect(status).toBe(202);
        count = body['stopped'];
      }
    };
    await stopAtRest();
    const later = (value: string) =>
      eventsUntil(other, isStatus(value), { 'last-event-id': seen.at(-1)?.id ?? '' }).then((events) => (seen = events));

    await post(`${other}/messages`, { text: 'Do order it.' });
    await later('waiting-for-confirmation');
    await stopAtRest();
    expect(await post(`${other}/approve`)).toEqual({ status: 202, body: { answered: 1 } });
    await later('finished');
    await stopAtRest();
    expect(scenario.asked).toBe(3);
  },
);

test.skipIf(url === '')('the service ends by itself when it is told to', async () => {
  const ended = services.map(({ worker }) => once(worker, 'exit'));
  for (const { worker } of services) worker.kill('SIGTERM');
  expect(await Promise.all(ended)).toEqual([
    [0, null],
    [0, null],
  ]);
});
