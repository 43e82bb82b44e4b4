import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { openaiServer } from '@palimpsest/provider-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { anthropicLLM } from './anthropic/index.js';
import { connectionFailure } from './http-failure.js';
import { LLMError, ServiceUnavailableError } from './index.js';
import type { LLM } from './index.js';
import { openaiLLM } from './openai/index.js';

const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello?' }] }];

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A port at which nothing listens, and nobody will: it is that of a client, as long as the test lasts. */
async function closedPort(): Promise<number> {
  const client = connect(await listening(createServer((socket) => void socket.resume())), '127.0.0.1');
  onTestFinished(() => void client.destroy());
  await once(client, 'connect');
  return client.localPort ?? 0;
}

async function failureOf(llm: LLM, options: { readonly onDelta?: () => void } = {}): Promise<LLMError> {
  const failure: unknown = await llm.complete({ messages, ...options }).catch((error: unknown) => error);
  if (!LLMError.isInstance(failure)) throw failure;
  return failure;
}

describe.each([
  ['openai', openaiLLM],
  ['anthropic', anthropicLLM],
] as const)('%s', (name, create) => {
  const llmAt = (baseURL: string, attempts = 1) =>
    create({
      model: 'some-model',
      apiKey: 'sk-a-key-of-mine',
      baseURL,
      retry: { attempts, minDelayMs: 1 },
    });

  test('nothing listens: the address, without what may be a key, and the way out', async () => {
    const port = await closedPort();
    const failure = await failureOf(llmAt(`http://127.0.0.1:${port}/v1/?key=pass-word`));
    expect(failure.message).toBe(
      `${name}: no connection to http://127.0.0.1:${port}/v1: nothing answers there (ECONNREFUSED). Is the server running? Is the address (base URL) right?`,
    );
    expect(failure).toBeInstanceOf(ServiceUnavailableError);
    expect(failure).toMatchObject({ isRetryable: true, maxRetryMs: 10_000 });
  });

  test('an address with a password, which fetch does not take', async () => {
    const failure = await failureOf(llmAt('http://user:pass-word@127.0.0.1:1/v1', 3));
    expect(failure.message).toMatch(
      /no connection to http:\/\/127\.0\.0\.1:1\/v1: the address must not hold a user and a password/,
    );
    expect(failure.isRetryable).toBe(false);
  });

  test('a port that fetch does not ask', async () => {
    const failure = await failureOf(llmAt('http://127.0.0.1:9/v1', 3));
    expect(failure.message).toContain('no connection to http://127.0.0.1:9/v1: HTTP clients refuse this port');
    expect(failure.isRetryable).toBe(false);
  });

  test('the same of a streamed answer, and after retries', async () => {
    const port = await closedPort();
    expect((await failureOf(llmAt(`http://127.0.0.1:${port}`, 2), { onDelta: () => undefined })).message).toContain(
      `127.0.0.1:${port}: nothing answers there`,
    );
  });

  test('a name that is not known', async () => {
    const { message } = await failureOf(llmAt('http://no-such-server.invalid/v1'));
    expect(message).toMatch(
      /no connection to http:\/\/no-such-server\.invalid\/v1: its name is not known \((ENOTFOUND|EAI_AGAIN)\)/,
    );
  });

  test('https:// to a server that speaks http', async () => {
    const server = await openaiServer({ reply: () => ({ message: { content: 'Hello.' } }) });
    onTestFinished(() => server.close());
    const failure = await failureOf(llmAt(server.baseURL.replace('http:', 'https:'), 3));
    expect(failure.message).toContain('it does not speak TLS');
    expect(failure.isRetryable).toBe(false);
  });

  test('a server that closes the connection', async () => {
    const port = await listening(createServer((socket) => void socket.destroy()));
    expect((await failureOf(llmAt(`http://127.0.0.1:${port}`))).message).toContain('it closed the connection');
  });

  test('a server whose handshake fails', async () => {
    const port = await listening(createTlsServer());
    expect((await failureOf(llmAt(`https://127.0.0.1:${port}`))).message).toMatch(
      new RegExp(`no connection to https://127.0.0.1:${port}: `),
    );
  });

  test('a server that is silent: the address', async () => {
    const port = await listening(createServer(() => undefined));
    const llm = create({
      model: 'm',
      apiKey: 'k',
      baseURL: `http://127.0.0.1:${port}`,
      timeoutMs: 20,
      retry: { attempts: 1 },
    });
    expect((await failureOf(llm)).message).toBe(`${name}: no answer within 20 ms from http://127.0.0.1:${port}`);
  });
});

test.each(['DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_HAS_EXPIRED', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'])(
  'a certificate that is not accepted (%s) is not tried again',
  (code) => {
    const cause = new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
    const failure = connectionFailure(new Error('Connection error.', { cause }), 'https://somewhere/v1');
    expect(failure?.message).toContain('NODE_EXTRA_CA_CERTS');
    expect(failure?.isLasting).toBe(true);
  },
);

test('a refusal from elsewhere is tried again without that bound', () => {
  const cause = new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }) });
  const error = new Error('Connection error.', { cause });
  expect(connectionFailure(error, 'https://somewhere/v1')).not.toHaveProperty('maxRetryMs');
  expect(connectionFailure(error, 'http://[::1]:8000/v1')).toHaveProperty('maxRetryMs', 10_000);
});

test('an error whose causes are a circle', () => {
  const error = new Error('Connection error.');
  error.cause = error;
  expect(connectionFailure(error, 'http://somewhere')?.message).toBe(
    'no connection to http://somewhere. Is the address (base URL) right?',
  );
});
