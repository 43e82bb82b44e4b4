import { memoryEventStore } from '@palimpsest/events';
import { openaiServer } from '@palimpsest/provider-servers';
import { afterEach, describe, expect, it } from 'vitest';
import { fileText, upstreamOf } from '../../test-support/coding-session.js';
import { gatewayOf } from './gateway.js';
import { lookedAt } from './refusal.js';

const open: { close(): Promise<void> }[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

const encoder = new TextEncoder();
/** An answer in pieces of a given size. */
function streamed(text: string, size: number): Response {
  const bytes = encoder.encode(text);
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, (at += size)));
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}
const events = (...all: object[]) => all.map((event) => `event: e\ndata: ${JSON.stringify(event)}\n\n`).join('');

describe('the beginning of a stream', () => {
  const failure = { code: 'context_length_exceeded', message: 'Your input exceeds the context window.' };
  const refused = events(
    { type: 'response.created' },
    { type: 'response.in_progress' },
    { type: 'response.failed', response: { error: failure } },
  );
  const accepted = events({ type: 'response.created' }, { type: 'response.output_item.added', item: 'über' });

  it.each([1, 7, 1_000])('shows a refusal, in pieces of %i bytes, and loses none', async (size) => {
    const { answer, refusal } = await lookedAt(streamed(refused, size));
    expect(refusal).toEqual({ status: 400, responseBody: JSON.stringify({ error: failure }) });
    expect(await answer.text()).toBe(refused);
  });

  it.each([1, 7, 1_000])('shows none in an answer, in pieces of %i bytes', async (size) => {
    const { answer, refusal } = await lookedAt(streamed(accepted, size));
    expect(refusal).toBeUndefined();
    expect(await answer.text()).toBe(accepted);
  });

  it.each(['', 'data: {"type":\n\n', ': ping\n\n', 'data: [DONE]\n\n'])('passes %j', async (text) => {
    const { answer, refusal } = await lookedAt(streamed(text, 3));
    expect(refusal).toBeUndefined();
    expect(await answer.text()).toBe(text);
  });
});

it('passes other errors with their wait', async () => {
  const body = '{"error":{"message":"busy"}}';
  const { answer, refusal } = await lookedAt(new Response(body, { status: 429, headers: { 'retry-after': '7' } }));
  expect([refusal, answer.status, answer.headers.get('retry-after'), await answer.text()]).toEqual([
    undefined,
    429,
    '7',
    body,
  ]);
});

it.each([false, true])('answers an overflow of the Responses API once, streamed: %s', async (stream) => {
  const server = await openaiServer({ reply: () => ({ output: [] }), contextWindow: 6_000 });
  open.push(server);
  const gateway = gatewayOf({ upstream: upstreamOf(server.baseURL), store: memoryEventStore() });
  const input = Array.from({ length: 30 }, (_, step) => [
    { type: 'function_call', call_id: `c${step}`, name: 'read', arguments: `{"file":${step}}` },
    { type: 'function_call_output', call_id: `c${step}`, output: fileText(step).slice(0, 900) },
  ]).flat();
  const response = await gateway(
    new Request('http://localhost/v1/responses', {
      method: 'POST',
      headers: { authorization: 'Bearer a-key', 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'gpt-5.1',
        stream,
        tools: [{ type: 'function', name: 'read', parameters: { type: 'object' }, strict: false }],
        input: [{ role: 'user', content: 'Read all.' }, ...input],
      }),
    }),
  );
  expect(response.status).toBe(200);
  expect(await response.text()).toContain('completed');
  expect(server.requests).toHaveLength(2);
});
