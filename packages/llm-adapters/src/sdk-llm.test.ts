import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import type { Message } from '@palimpsest/events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { json, start, thrownBy } from '../test-support/stepwise-server.js';
import type { Step } from '../test-support/stepwise-server.js';
import { anthropicLLM } from './anthropic/index.js';
import { ServiceUnavailableError } from './errors.js';
import type { Delta, FailedAttempt, LLM } from './index.js';
import { openaiLLM } from './openai/index.js';
import type { SdkLLMOptions } from './sdk-llm.js';

// What sdkLLM adds to both SDKs, which talk over HTTP to a server that misbehaves step by step.

const apiKey = 'sk-test-0123456789abcdef';
const messages: readonly Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Hello.' }] }];

const cut: Step = (response) => response.destroy();
const silence: Step = () => undefined;

interface Provider {
  readonly name: string;
  readonly llm: (options: Omit<SdkLLMOptions, 'model'>) => LLM;
  readonly answer: Step;
  readonly refuse: (status: number, type: string, message: string, headers?: Readonly<Record<string, string>>) => Step;
  /** The start of a streamed answer: one delta. */
  readonly firstDelta: string;
  /** The rest of it: one more. */
  readonly lastDelta: string;
}

const frame = (event: { readonly type: string }) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

const providers: readonly Provider[] = [
  {
    name: 'openai',
    llm: (options) => openaiLLM({ model: 'gpt-4o', apiKey, ...options }),
    answer: json(200, {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      model: 'gpt-4o',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
    }),
    refuse: (status, code, message, headers) => json(status, { error: { message, type: code, code } }, headers),
    firstDelta: `data: ${JSON.stringify({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      model: 'gpt-4o',
      choices: [{ index: 0, delta: { role: 'assistant', content: 'Hel' }, finish_reason: null }],
    })}\n\n`,
    lastDelta: `data: ${JSON.stringify({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      model: 'gpt-4o',
      choices: [{ index: 0, delta: { content: 'lo.' }, finish_reason: 'stop' }],
    })}\n\ndata: [DONE]\n\n`,
  },
  {
    name: 'anthropic',
    llm: (options) => anthropicLLM({ model: 'claude-haiku-4-5', apiKey, ...options }),
    answer: json(200, {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-haiku-4-5',
      content: [{ type: 'text', text: 'Hello.' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 9, output_tokens: 2 },
    }),
    refuse: (status, type, message, headers) =>
      json(
        status,
        { type: 'error', error: { type, message, details: { error_code: type } }, request_id: 'req_1' },
        headers,
      ),
    firstDelta: [
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'claude-haiku-4-5',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 9, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } },
    ]
      .map(frame)
      .join(''),
    lastDelta: [
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'lo.' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ]
      .map(frame)
      .join(''),
  },
];

describe.each(providers)('a call of $name', ({ llm, answer, refuse, firstDelta, lastDelta }) => {
  const fast = { minDelayMs: 1, maxDelayMs: 1 };
  const broken: Step = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(firstDelta, () => setImmediate(() => response.destroy()));
  };
  const streamed: Step = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(firstDelta + lastDelta);
  };

  it.each([
    ['429', refuse(429, 'rate_limit_error', 'Slow down.')],
    ['529', refuse(529, 'overloaded_error', 'Overloaded')],
    ['500', refuse(500, 'api_error', 'Internal server error')],
    [
      'a page instead of an error',
      (response: ServerResponse) => response.writeHead(502).end('<html>Bad gateway</html>'),
    ],
    ['an answer that is none', json(200, {})],
    ['a cut connection', cut],
  ])('is tried again after %s', async (_why, failure) => {
    const server = await start(failure, answer);
    const failures: FailedAttempt[] = [];
    const retry = { ...fast, onRetry: (failed: FailedAttempt) => failures.push(failed) };
    const completion = await llm({ baseURL: server.url, retry }).complete({ messages });
    expect(completion.message.content).toEqual([{ type: 'text', text: 'Hello.' }]);
    expect(server.requests).toHaveLength(2);
    expect(failures).toMatchObject([{ attempt: 1, attempts: 3, error: { isRetryable: true } }]);
  });

  it('is tried three times in all, unless the options say otherwise', async () => {
    const server = await start(refuse(529, 'overloaded_error', 'Overloaded'));
    const error = await thrownBy(llm({ baseURL: server.url, retry: fast }).complete({ messages }));
    expect(error).toMatchObject({ code: 'service-unavailable', statusCode: 529, isRetryable: true });
    expect(server.requests).toHaveLength(3);
    await thrownBy(llm({ baseURL: server.url, retry: { ...fast, attempts: 1 } }).complete({ messages }));
    expect(server.requests).toHaveLength(4);
  });

  it.each([
    ['a wrong key', 'authentication', refuse(401, 'authentication_error', 'invalid x-api-key')],
    [
      'an overflow',
      'context-window-exceeded',
      refuse(400, 'invalid_request_error', 'prompt is too long: 9 tokens > 8 maximum'),
    ],
    ['a spend limit', 'rate-limit', refuse(429, 'enforced_spend_limit_reached', 'You have reached your limit.')],
    [
      'more than a minute allows',
      'context-window-exceeded',
      refuse(429, 'rate_limit_exceeded', 'Request too large on tokens per min (TPM): Limit 30000, Requested 36278.'),
    ],
  ])('is never tried again after %s', async (_why, code, failure) => {
    const server = await start(failure, answer);
    const error = await thrownBy(llm({ baseURL: server.url, retry: fast }).complete({ messages }));
    expect(error).toMatchObject({ code, isRetryable: false });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['seconds', { 'retry-after': '7' }, 7_000],
    ['milliseconds', { 'retry-after-ms': '7250', 'retry-after': '7' }, 7_250],
    ['a date', { 'retry-after': 'Sat, 21 Nov 2026 12:00:09 GMT', date: 'Sat, 21 Nov 2026 12:00:00 GMT' }, 9_000],
  ])('waits as long as asked for in %s, and ends at once when aborted meanwhile', async (_form, headers, delayMs) => {
    const server = await start(refuse(429, 'rate_limit_error', 'Slow down.', headers), answer);
    const aborter = new AbortController();
    const reason = new Error('enough');
    const waits: number[] = [];
    const retry = {
      onRetry: (failed: FailedAttempt) => {
        waits.push(failed.delayMs);
        setImmediate(() => aborter.abort(reason));
      },
    };
    const call = llm({ baseURL: server.url, retry }).complete({ messages, signal: aborter.signal });
    await expect(call).rejects.toBe(reason);
    expect(waits).toEqual([delayMs]);
    expect(server.requests).toHaveLength(1);
  });

  it('is not tried again where the provider says so, or asks for too long a wait', async () => {
    const server = await start(
      refuse(429, 'rate_limit_error', 'No.', { 'x-should-retry': 'false' }),
      refuse(429, 'rate_limit_error', 'No.', { 'retry-after': '3600' }),
    );
    const model = llm({ baseURL: server.url, retry: fast });
    expect(await thrownBy(model.complete({ messages }))).toMatchObject({ code: 'rate-limit', isRetryable: false });
    expect(server.requests).toHaveLength(1);
    expect(await thrownBy(model.complete({ messages }))).toMatchObject({ retryAfterMs: 3_600_000 });
    expect(server.requests).toHaveLength(2);
  });

  /** Time that passes when the test says so: a slow machine is not taken for a silent server. */
  const passes = () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    return (ms: number) => vi.advanceTimersByTime(ms);
  };

  it('gives up on a server that is silent, and tries again', async () => {
    const pass = passes();
    const silent: Step = () => pass(500);
    const retry = { ...fast, onRetry: () => setImmediate(() => pass(1)) };
    const server = await start(silent, answer);
    const model = llm({ baseURL: server.url, timeoutMs: 500, retry });
    expect((await model.complete({ messages })).finishReason).toBe('stop');
    expect(server.requests).toHaveLength(2);
    const dead = await start(silent);
    const error = await thrownBy(
      llm({ baseURL: dead.url, timeoutMs: 50, retry: { attempts: 1 } }).complete({ messages }),
    );
    expect(error).toMatchObject({ code: 'service-unavailable', isRetryable: true });
    expect((error as Error).message).toContain('no answer within 50 ms');
  });

  it('gives up on a stream that falls silent', async () => {
    const pass = passes();
    const server = await start((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(firstDelta);
    });
    const deltas: Delta[] = [];
    const error = await thrownBy(
      llm({
        baseURL: server.url,
        timeoutMs: 500,
        retry: { ...fast, onRetry: () => setImmediate(() => pass(1)) },
      }).complete({
        messages,
        onDelta: (delta) => {
          deltas.push(delta);
          if (delta.type === 'text') setImmediate(() => pass(500));
        },
      }),
    );
    expect(error).toMatchObject({ code: 'service-unavailable' });
    const restart = { type: 'restart', reason: expect.stringContaining('no answer within 500 ms') };
    const begun = { type: 'text', text: 'Hel' };
    expect(deltas).toEqual([begun, restart, begun, restart, begun]);
    expect(server.requests).toHaveLength(3);
  });

  it('is tried again when the connection is lost in the middle of a stream, and the listener is told', async () => {
    const server = await start(broken, streamed);
    const deltas: Delta[] = [];
    const failures: FailedAttempt[] = [];
    const retry = { ...fast, onRetry: (failed: FailedAttempt) => failures.push(failed) };
    const onDelta = (delta: Delta) => deltas.push(delta);
    const completion = await llm({ baseURL: server.url, retry }).complete({ messages, onDelta });
    expect(completion.message.content).toEqual([{ type: 'text', text: 'Hello.' }]);
    expect(failures).toHaveLength(1);
    expect(deltas).toEqual([
      { type: 'text', text: 'Hel' },
      { type: 'restart', reason: failures[0]?.error.message },
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo.' },
    ]);
    expect(server.requests).toHaveLength(2);
  });

  it('is not tried more often than the options say, and then ends in the typed error', async () => {
    const server = await start(broken);
    const deltas: Delta[] = [];
    const call = llm({ baseURL: server.url, retry: { ...fast, attempts: 2 } }).complete({
      messages,
      onDelta: (delta) => deltas.push(delta),
    });
    expect(await thrownBy(call)).toMatchObject({ code: 'service-unavailable', isRetryable: true });
    expect(deltas.map(({ type }) => type)).toEqual(['text', 'restart', 'text']);
    expect(server.requests).toHaveLength(2);
  });

  it('is given up at once when its caller aborts in the wait after a lost connection', async () => {
    const server = await start(broken);
    const aborter = new AbortController();
    const reason = new Error('enough');
    const onDelta = (delta: Delta) => {
      if (delta.type === 'restart') aborter.abort(reason);
    };
    const retry = { minDelayMs: 1_000_000_000, maxDelayMs: 1_000_000_000 };
    const call = llm({ baseURL: server.url, retry }).complete({ messages, onDelta, signal: aborter.signal });
    expect(await thrownBy(call)).toBe(reason);
    expect(server.requests).toHaveLength(1);
  });

  it('ends with an error of ours that the callback for pieces throws, and is not tried again', async () => {
    const server = await start(streamed);
    const mine = new ServiceUnavailableError('the screen is gone', { provider: 'mine' });
    const onDelta = () => {
      throw mine;
    };
    expect(await thrownBy(llm({ baseURL: server.url, retry: fast }).complete({ messages, onDelta }))).toBe(mine);
    expect(server.requests).toHaveLength(1);
  });

  it('ends with what the callback for pieces throws', async () => {
    const server = await start((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(firstDelta);
    });
    const mine = new Error('the terminal is gone');
    const onDelta = () => {
      throw mine;
    };
    expect(await thrownBy(llm({ baseURL: server.url }).complete({ messages, onDelta }))).toBe(mine);
  });

  it('never shows a key, in no try and at no place', async () => {
    const quoting: Step = (response, { headers }) =>
      json(500, { error: { type: 'api_error', message: JSON.stringify(headers) } })(response, { headers });
    const streamed: Step = (response, { headers }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const error = { type: 'api_error', message: `proxy: ${JSON.stringify(headers)}` };
      response.end(`event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`);
    };
    const server = await start(quoting, streamed);
    const shown: unknown[] = [];
    const error = await thrownBy(
      llm({
        baseURL: server.url,
        headers: { 'x-gateway-key': 'gateway-0123456789' },
        retry: { ...fast, attempts: 2, onRetry: (failed) => shown.push(failed) },
      }).complete({ messages, onDelta: (delta) => shown.push(delta) }),
    );
    expect(server.requests).toHaveLength(2);
    expect(server.requests[0]?.headers).toMatchObject({ 'x-gateway-key': 'gateway-0123456789' });
    expect(shown).not.toEqual([]);
    const all = inspect([error, shown], { depth: 20, showHidden: true });
    expect(all).toContain('[secret]');
    expect(all).not.toContain(apiKey);
    expect(all).not.toContain('gateway-0123456789');
  });
});

describe('a key in the address', () => {
  it.each([
    ['as the user', 'http://key-0123456789:x@127.0.0.1:1'],
    ['as the password', 'http://me:key-0123456789@127.0.0.1:1'],
    ['as a parameter', 'http://me:x@127.0.0.1:1/v1?api_key=key-0123456789&api-version=2024-10-21'],
  ])('stands in no error: %s', async (_where, baseURL) => {
    for (const { llm } of providers) {
      const error = await thrownBy(llm({ baseURL, retry: { attempts: 1 } }).complete({ messages }));
      expect(error).toMatchObject({ code: 'service-unavailable' });
      expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('key-0123456789');
    }
  });
});

describe('what a model object says of itself', () => {
  const at = (day: string) => ({ now: () => new Date(day) });

  it('is what the tables know on the day', () => {
    const model = 'claude-opus-5-5';
    expect(anthropicLLM({ model, ...at('2026-11-21') })).toMatchObject({
      contextWindow: 1_000_000,
      facts: { thinking: 'prefix-bound', isAssumed: false },
      prices: { input: 4, output: 20 },
    });
    expect(anthropicLLM({ model, ...at('2026-01-01') }).prices).toBeUndefined();
    expect(anthropicLLM({ model: 'claude-next-9' }).contextWindow).toBeUndefined();
  });

  it('is what the options say, where they do', () => {
    const prices = { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1 };
    const options = { model: 'gpt-6-sol', contextWindow: 50_000, prices, facts: { acceptsSampling: true } };
    expect(openaiLLM(options)).toMatchObject({ contextWindow: 50_000, prices, facts: { acceptsSampling: true } });
  });

  it.each([
    [{ retry: { attempts: Number.NaN } }, 'retry.attempts must be a whole number above 0, not NaN'],
    [{ retry: { attempts: 0 } }, 'retry.attempts must be a whole number above 0, not 0'],
    [{ retry: { maxDelayMs: -1 } }, 'retry.maxDelayMs must not be below 0, but is -1'],
    [{ timeoutMs: 0 }, 'timeoutMs must be above 0, not 0'],
  ])('is refused at once where an option makes no sense: %j', (options, message) => {
    expect(() => openaiLLM({ model: 'gpt-4o', apiKey, ...options })).toThrow(message);
    expect(() => anthropicLLM({ model: 'claude-haiku-4-5', apiKey, ...options })).toThrow(message);
  });

  it('knows neither price nor window of a model that somebody else serves', async () => {
    const server = await start(providers[0]?.answer ?? silence);
    const local = openaiLLM({ model: 'deepseek-v4-pro', baseURL: server.url, ...at('2026-11-21') });
    expect(local.prices).toBeUndefined();
    expect(local.contextWindow).toBeUndefined();
    expect(await local.complete({ messages })).not.toHaveProperty('costUsd');
    const prices = { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1 };
    const mine = openaiLLM({ model: 'deepseek-v4-pro', baseURL: server.url, prices });
    expect((await mine.complete({ messages })).costUsd).toBeCloseTo((9 + 2 * 2) / 1e6, 12);
    const own = openaiLLM({
      model: 'deepseek-v4-pro',
      apiKey,
      baseURL: 'https://api.deepseek.com',
      ...at('2026-11-21'),
    });
    expect(own).toMatchObject({ contextWindow: 1_000_000, prices: { input: 0.66 } });
  });
});
