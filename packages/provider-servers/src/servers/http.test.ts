import { describe, expect, it, onTestFinished } from 'vitest';
import { withFault } from './faults.js';
import type { DeliveryFault } from './faults.js';
import { serve } from './http.js';
import type { ReceivedRequest, ServerResponse } from './http.js';

const answer: ServerResponse = { status: 200, body: { text: 'All is well on board.' } };
const stream: ServerResponse = {
  status: 200,
  events: [{ event: 'one', data: { n: 1 } }, { data: { n: 2 } }, { event: 'end', data: '[DONE]' }],
};
const whole = 'event: one\ndata: {"n":1}\n\ndata: {"n":2}\n\nevent: end\ndata: [DONE]\n\n';
const failure = {
  event: { event: 'error', data: 'failed' },
  response: { status: 500, body: 'failed' },
};

async function start(handle: (request: ReceivedRequest) => ServerResponse | Promise<ServerResponse>) {
  const server = await serve({ basePath: '/v9', handle });
  onTestFinished(() => server.close());
  return server;
}

const post = (url: string, body: string, init: RequestInit = {}) => fetch(url, { method: 'POST', body, ...init });

/** Returns what arrives before the connection ends, and whether it ended as it should. */
async function arrived(response: Response): Promise<{ text: string; isComplete: boolean }> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk as Uint8Array, { stream: true });
    return { text, isComplete: true };
  } catch {
    return { text, isComplete: false };
  }
}

describe('serve', () => {
  it('keeps what it was sent, and answers with JSON', async () => {
    const server = await start(() => ({ ...answer, headers: { 'request-id': 'r' } }));
    const response = await post(`${server.baseURL}/things`, '{"name":"å"}', { headers: { 'x-api-key': 'key' } });
    expect(response.headers.get('request-id')).toBe('r');
    expect(await response.json()).toEqual(answer.body);
    expect(server.requests).toMatchObject([
      { method: 'POST', path: '/v9/things', headers: { 'x-api-key': 'key' }, body: { name: 'å' }, bytes: 13 },
    ]);
  });

  it('streams', async () => {
    const server = await start(() => stream);
    const response = await post(server.baseURL, '');
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(await arrived(response)).toEqual({ text: whole, isComplete: true });
    expect(server.requests[0]).toMatchObject({ body: undefined, bytes: 0 });
  });

  it('sets no time after which it closes a connection that rests', async () => {
    const response = await post((await start(() => answer)).baseURL, '{}');
    expect(response.headers.get('connection')).toBe('keep-alive');
    expect(response.headers.get('keep-alive')).toBeNull();
  });

  it('answers a reply that throws with a 500 that no client tries again', async () => {
    const server = await start(() => Promise.reject(new Error('a mistake of the test')));
    const response = await post(server.baseURL, '{}');
    expect(response).toMatchObject({ status: 500 });
    expect(response.headers.get('x-should-retry')).toBe('false');
    expect(await response.text()).toContain('a mistake of the test');
  });

  it('closes with a connection open, and again', async () => {
    const server = await serve({ basePath: '', handle: () => new Promise(() => undefined) });
    const asked = post(server.baseURL, '{}');
    asked.catch(() => undefined);
    while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await server.close();
    await server.close();
    await expect(asked).rejects.toThrow();
  });
});

describe('withFault', () => {
  const spoil = async (response: ServerResponse, fault: DeliveryFault) => {
    const server = await start(() => withFault(response, fault, failure));
    return post(server.baseURL, '{}');
  };

  it('cuts the connection before the first byte', async () => {
    await expect(spoil(answer, { fault: 'cut' })).rejects.toThrow();
    await expect(spoil(stream, { fault: 'cut' })).rejects.toThrow();
  });

  it('cuts a stream after some events', async () => {
    const response = await spoil(stream, { fault: 'cut', afterEvents: 2 });
    expect(await arrived(response)).toEqual({ text: whole.slice(0, whole.indexOf('event: end')), isComplete: false });
  });

  it('cuts JSON in the middle', async () => {
    const { text, isComplete } = await arrived(await spoil(answer, { fault: 'cut', afterEvents: 1 }));
    expect(JSON.stringify(answer.body).startsWith(text)).toBe(true);
    expect(text).not.toBe('');
    expect(isComplete).toBe(false);
  });

  it('fails inside a stream, and as a whole answer when nothing is streamed', async () => {
    const response = await spoil(stream, { fault: 'stream-error', afterEvents: 1 });
    expect(response.status).toBe(200);
    expect(await arrived(response)).toEqual({
      text: 'event: one\ndata: {"n":1}\n\nevent: error\ndata: failed\n\n',
      isComplete: true,
    });
    expect(await spoil(answer, { fault: 'stream-error' })).toMatchObject({ status: 500 });
  });

  it('stalls until the client gives up', async () => {
    const server = await start(({ body }) =>
      body === null ? answer : withFault(stream, { fault: 'stall', afterEvents: 1 }, failure),
    );
    const reader = (await post(server.baseURL, '{}')).body?.getReader();
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value as Uint8Array)).toBe('event: one\ndata: {"n":1}\n\n');
    let hasMore = false;
    const next = reader?.read().then(() => (hasMore = true));
    await (await post(server.baseURL, 'null')).json();
    expect(hasMore).toBe(false);
    await reader?.cancel();
    await next;
  });

  it('pauses a stream until it may go on', async () => {
    let release: () => void = () => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    const server = await start(({ body }) =>
      body === null ? answer : withFault(stream, { fault: 'pause', afterEvents: 1, until }, failure),
    );
    const response = await post(server.baseURL, '{}');
    const reader = response.body?.getReader();
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value as Uint8Array)).toBe('event: one\ndata: {"n":1}\n\n');
    let hasMore = false;
    const next = reader?.read().finally(() => (hasMore = true));
    await (await post(server.baseURL, 'null')).json();
    expect(hasMore).toBe(false);
    release();
    let rest = new TextDecoder().decode((await next)?.value as Uint8Array);
    for (let more = await reader?.read(); more?.done === false; more = await reader?.read()) {
      rest += new TextDecoder().decode(more.value as Uint8Array);
    }
    expect(`event: one\ndata: {"n":1}\n\n${rest}`).toBe(whole);
  });

  it('holds the first byte back until it may go', async () => {
    let release: () => void = () => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    const server = await start(({ body }) =>
      body === null ? answer : withFault(answer, { fault: 'slow-first-byte', until }, failure),
    );
    let isAnswered = false;
    const asked = post(server.baseURL, '{}').then((response) => {
      isAnswered = true;
      return response.json();
    });
    while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await (await post(server.baseURL, 'null')).json();
    expect(isAnswered).toBe(false);
    release();
    expect(await asked).toEqual(answer.body);
  });

  it('holds the first byte back for a time', async () => {
    expect(await (await spoil(answer, { fault: 'slow-first-byte', until: 1 })).json()).toEqual(answer.body);
  });
});
