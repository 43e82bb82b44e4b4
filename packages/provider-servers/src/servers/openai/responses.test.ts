import { describe, expect, it, onTestFinished } from 'vitest';
import { frames, post } from '../../../test-support/openai-client.js';
import { openaiServer } from './server.js';
import type { OpenAIServerOptions } from './server.js';
import type { JsonObject } from '../../rules/wire/wire-json.js';

// Raw requests: neither an adapter nor an SDK has touched them.

const output = [
  { type: 'reasoning', summary: [{ type: 'summary_text', text: 'A small file.' }] },
  {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'I look at it.', annotations: [], logprobs: [] }],
  },
  { type: 'function_call', call_id: 'call_1', name: 'run', arguments: '{"command":"ls"}' },
];
const tools = [{ type: 'function', name: 'run', parameters: { type: 'object', properties: {} } }];
const body = (fields: object = {}) => ({ model: 'gpt-6-sol', input: 'Go.', store: false, tools, ...fields });

async function start(options: Partial<OpenAIServerOptions> = {}) {
  const server = await openaiServer({ reply: () => ({ output }), pieceSize: 5, ...options });
  onTestFinished(() => server.close());
  return server;
}

interface Event extends JsonObject {
  readonly type: string;
  readonly sequence_number: number;
  readonly output_index?: number;
  readonly item_id?: string;
  readonly delta?: string;
  readonly item?: JsonObject & { readonly id: string };
  readonly response?: JsonObject & { readonly output: readonly (JsonObject & { readonly id: string })[] };
}

async function events(server: Awaited<ReturnType<typeof start>>, fields: object = {}): Promise<readonly Event[]> {
  const { status, text } = await post(server, '/responses', body({ stream: true, ...fields }));
  expect(status).toBe(200);
  const sent = frames(text);
  expect(sent.every(({ event, data }) => event === (data as Event).type)).toBe(true);
  return sent.map(({ data }) => data as Event);
}

const ids = (items: readonly unknown[]) => items.map((item) => (item as { readonly id: string }).id);

describe('openaiServer, Responses', () => {
  it('answers whole, with ids, statuses and encrypted content of its own', async () => {
    const { body: answer } = await post(await start(), '/responses', body());
    expect(answer).toMatchObject({
      object: 'response',
      status: 'completed',
      store: false,
      output: [
        {
          type: 'reasoning',
          id: expect.stringMatching(/^rs_/) as string,
          encrypted_content: expect.any(String) as string,
        },
        { type: 'message', id: expect.stringMatching(/^msg_/) as string, status: 'completed' },
        { type: 'function_call', id: expect.stringMatching(/^fc_/) as string, status: 'completed' },
      ],
      usage: { input_tokens: expect.any(Number) as number },
    });
  });

  it('streams in the order of C.2, with rising numbers and no [DONE] (C12)', async () => {
    const sent = await events(await start());
    expect(sent.map(({ sequence_number }) => sequence_number)).toEqual(sent.map((_event, index) => index));
    const names = sent.map(({ type }) => type.replace(/^response\./, ''));
    expect(names.filter((name, index) => name !== names[index - 1])).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'completed',
    ]);
  });

  it('has one id for an item from its beginning to the complete answer (C12)', async () => {
    const sent = await events(await start());
    const ended = sent.at(-1)?.response?.output ?? [];
    expect(ended).toHaveLength(3);
    for (const [index, { id }] of ended.entries()) {
      const ofItem = sent.filter(({ output_index }) => output_index === index);
      expect(new Set(ofItem.map(({ item_id, item }) => item_id ?? item?.id))).toEqual(new Set([id]));
    }
  });

  it('announces items without their content, and with only the start of what is encrypted', async () => {
    const sent = await events(await start());
    const added = sent.flatMap(({ type, item }) => (type === 'response.output_item.added' ? [item] : []));
    const done = sent.flatMap(({ type, item }) => (type === 'response.output_item.done' ? [item] : []));
    expect(added).toMatchObject([{ summary: [] }, { content: [] }, { arguments: '' }]);
    expect(done).toMatchObject(output);
    expect(added[0]?.encrypted_content).not.toBe(done[0]?.encrypted_content);
    expect(sent.at(-1)?.response?.output).toEqual(done);
  });

  it('streams pieces that add up', async () => {
    const sent = await events(await start());
    const joined = (name: string) =>
      sent.flatMap(({ type, delta }) => (type === `response.${name}.delta` ? [delta] : [])).join('');
    expect(joined('output_text')).toBe('I look at it.');
    expect(joined('reasoning_summary_text')).toBe('A small file.');
    expect(joined('function_call_arguments')).toBe('{"command":"ls"}');
  });

  it.each([
    ['incomplete', { output: output.slice(0, 2), incomplete: 'max_output_tokens' as const }],
    ['failed', { output: [], failure: { code: 'server_error', message: 'Sorry.' } }],
  ])('ends a stream as %s', async (status, reply) => {
    const server = await start({ reply: () => reply });
    const sent = await events(server);
    expect(sent.at(-1)).toMatchObject({ type: `response.${status}`, response: { status } });
    expect(sent.filter(({ type }) => type === 'error')).toHaveLength(status === 'failed' ? 1 : 0);
    const whole = (await post(server, '/responses', body())).body;
    expect(whole).toMatchObject({
      status,
      incomplete_details: status === 'failed' ? null : { reason: 'max_output_tokens' },
      error: status === 'failed' ? { code: 'server_error' } : null,
    });
  });

  it('says that a request is too large as a 400, or inside a stream after a 200 (C11)', async () => {
    const server = await start({ contextWindow: 5 });
    const { status, body: refused } = await post(server, '/responses', body());
    expect(status).toBe(400);
    const words = {
      code: 'context_length_exceeded',
      message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
    };
    expect(refused).toMatchObject({ error: { ...words, param: 'input', type: 'invalid_request_error' } });
    const sent = await events(server);
    expect(sent.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'error',
      'response.failed',
    ]);
    expect(sent[2]).toMatchObject(words);
    expect(sent[3]).toMatchObject({ response: { status: 'failed', error: words } });
    const before = await start({ contextWindow: 5, overflowsInStream: false });
    expect((await post(before, '/responses', body({ stream: true }))).status).toBe(400);
  });

  it('takes what it gave out, at another server of the organisation too, and only there (C5, C10)', async () => {
    const { body: answer } = await post(await start(), '/responses', body());
    const items = (answer as { readonly output: readonly JsonObject[] }).output;
    const result = { type: 'function_call_output', call_id: 'call_1', output: 'a.txt' };
    const next = (kept: readonly unknown[]) => body({ input: [{ role: 'user', content: 'Go.' }, ...kept, result] });
    const other = await start();
    expect((await post(other, '/responses', next(items))).status).toBe(200);
    const refused = await post(other, '/responses', next(items.slice(1)));
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain(`without its required 'reasoning' item: '${ids(items)[0]}'`);
    const stranger = await start({ organization: 'org-other' });
    expect((await post(stranger, '/responses', next(items))).body).toMatchObject({
      error: { code: 'invalid_encrypted_content' },
    });
  });

  it('refuses in the words of the provider, with the place, and with 404 what it has not kept', async () => {
    const server = await start();
    const user = { role: 'user', content: 'Go.' };
    const misplaced = await post(server, '/responses', body({ input: [user, { ...user, type: 'tool_result' }] }));
    expect(misplaced.status).toBe(400);
    expect(misplaced.body).toMatchObject({ error: { type: 'invalid_request_error', param: 'input.[1].type' } });
    const lost = await post(server, '/responses', body({ input: [user, { type: 'item_reference', id: 'msg_1' }] }));
    expect(lost.status).toBe(404);
    expect(lost.body).toMatchObject({ error: { type: 'invalid_request_error', param: 'input' } });
  });

  it('gives the same ids to the same request, and others to the next', async () => {
    const outputOf = async (server: Awaited<ReturnType<typeof start>>) =>
      ids(((await post(server, '/responses', body())).body as { readonly output: readonly unknown[] }).output);
    const server = await start();
    const first = await outputOf(server);
    expect(await outputOf(await start())).toEqual(first);
    expect(await outputOf(server)).not.toEqual(first);
  });

  it('sends a message in the words of Chat Completions as items', async () => {
    const message = {
      reasoning_content: 'A small file.',
      content: 'I look.',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'run', arguments: '{}' } }],
    };
    const server = await start({ reply: () => ({ message }) });
    expect((await post(server, '/responses', body())).body).toMatchObject({
      output: [
        { type: 'reasoning', summary: [{ text: 'A small file.' }] },
        { type: 'message', content: [{ type: 'output_text', text: 'I look.' }] },
        { type: 'function_call', call_id: 'call_1', name: 'run', arguments: '{}' },
      ],
    });
  });
});
