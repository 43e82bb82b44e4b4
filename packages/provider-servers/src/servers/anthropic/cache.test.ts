import { describe, expect, it, onTestFinished } from 'vitest';
import { anthropicServer } from './server.js';
import type { AnthropicServerOptions } from './server.js';
import type { ProviderServer } from '../http.js';
import type { JsonObject } from '../../rules/wire/wire-json.js';
import { post } from '../../../test-support/anthropic-client.js';

// provider-rules A.7: raw requests, and what the usage says.

const minute = 60_000;
const short = { cache_control: { type: 'ephemeral' } };
const long = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const text = (words: string, fields: JsonObject = {}) => ({ type: 'text', text: words, ...fields });
/** Text of at least so many tokens, different for each name. */
const tokens = (count: number, name: string) => name.padEnd(count * 4, ` ${name}`);
const user = (...content: JsonObject[]) => ({ role: 'user', content });
const assistant = (...content: JsonObject[]) => ({ role: 'assistant', content });
const call = (id: string) => ({ type: 'tool_use', id, name: 'look', input: {} });
const result = (id: string, fields: JsonObject = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  content: id,
  ...fields,
});

/** Tools, system and one message, each long enough to be cached, each marked. */
const marked = {
  model: 'claude-opus-5-5',
  max_tokens: 100,
  tools: [{ name: 'look', description: tokens(600, 'tool'), input_schema: { type: 'object' }, ...short }],
  system: [text(tokens(600, 'system'), short)],
  messages: [user(text(tokens(600, 'task'), short))],
};

async function start(options: Partial<AnthropicServerOptions> = {}) {
  let time = Date.parse('2026-11-21T12:00:00Z');
  const server = await anthropicServer({
    reply: () => ({ content: [text('Yes.')] }),
    now: () => new Date(time),
    ...options,
  });
  onTestFinished(() => server.close());
  return { server, pass: (milliseconds: number) => (time += milliseconds) };
}

async function usage(server: ProviderServer, body: JsonObject, headers: Record<string, string> = {}) {
  const { body: answer, refusal } = await post(server, body, { headers });
  expect(refusal).toBe('');
  const counted = answer.usage as Record<string, number> & { cache_creation: Record<string, number> };
  return {
    input: counted.input_tokens ?? NaN,
    read: counted.cache_read_input_tokens ?? NaN,
    written: counted.cache_creation_input_tokens ?? NaN,
    short: counted.cache_creation.ephemeral_5m_input_tokens ?? NaN,
    long: counted.cache_creation.ephemeral_1h_input_tokens ?? NaN,
  };
}

describe('the prompt cache', () => {
  it('writes up to the last mark, then reads it', async () => {
    const { server } = await start();
    const body = { ...marked, messages: [user(text(tokens(600, 'task'), short), text(tokens(50, 'rest')))] };
    const first = await usage(server, body);
    expect(first.read).toBe(0);
    expect(first.written).toBeGreaterThan(1_800);
    expect(first.input).toBeGreaterThanOrEqual(50);
    expect(await usage(server, body)).toEqual({ ...first, read: first.written, written: 0, short: 0 });
  });

  it('counts what is read, written and neither as the whole prompt', async () => {
    const { server } = await start();
    const { max_tokens: _, ...counted } = marked;
    const { body } = await post(server, counted, { path: '/v1/messages/count_tokens' });
    const first = await usage(server, marked);
    expect(first.input + first.written).toBe(body.input_tokens);
    const unmarked = { ...marked, tools: [{ ...marked.tools[0], cache_control: null }] };
    const { input, read, written } = await usage(server, unmarked);
    expect(input + read + written).toBe(body.input_tokens);
    expect(read).toBe(first.written);
  });

  it('does nothing without a mark', async () => {
    const { server } = await start();
    const body = { ...marked, tools: undefined, system: tokens(600, 'system'), messages: [user(text('Go.'))] };
    await usage(server, body);
    expect(await usage(server, body)).toMatchObject({ read: 0, written: 0 });
  });

  it.each([
    ['claude-opus-5-5', 512],
    ['claude-sonnet-5', 1_024],
    ['claude-opus-4-7', 2_048],
    ['claude-haiku-4-5', 4_096],
  ])('of %s takes nothing shorter than %d tokens', async (model, minimum) => {
    const { server } = await start();
    const ofLength = (count: number) => ({
      model,
      max_tokens: 100,
      messages: [user(text('x'.repeat(count * 4 - 'user:{"text":"","type":"text"}'.length), short))],
    });
    expect(await usage(server, ofLength(minimum - 1))).toMatchObject({ input: minimum - 1, written: 0 });
    expect(await usage(server, ofLength(minimum))).toMatchObject({ input: 0, written: minimum });
  });

  it('grows with a conversation', async () => {
    const { server } = await start();
    const answer = assistant(text('Yes.'));
    const next = (name: string, fields: JsonObject = {}) => user(text(tokens(20, name), fields));
    const task = user(text(tokens(600, 'task')));
    const first = await usage(server, { ...marked, messages: [task, answer, next('a', short)] });
    const second = await usage(server, { ...marked, messages: [task, answer, next('a'), answer, next('b', short)] });
    expect(second.read).toBe(first.written);
    expect(second.written).toBeGreaterThan(20);
    expect(second.input).toBe(0);
  });

  it('takes a mark within a result for one on it', async () => {
    const { server } = await start();
    const look = [user(text('Look.')), assistant(call('a'))];
    const seen = (fields: JsonObject) => user(result('a', { content: [text(tokens(600, 'seen'), fields)] }));
    const base = { model: marked.model, max_tokens: 100, tools: [{ name: 'look' }] };
    const { written } = await usage(server, { ...base, messages: [...look, seen(short)] });
    expect(written).toBeGreaterThan(600);
    const next = { ...base, messages: [...look, seen({}), assistant(text('Yes.')), user(text('And?', short))] };
    expect(await usage(server, next)).toMatchObject({ read: written });
  });

  it('marks the last block by itself when asked at the top', async () => {
    const { server } = await start();
    const body = (...messages: JsonObject[]) => ({
      ...{ model: marked.model, max_tokens: 100, ...long },
      messages: [user(text(tokens(600, 'task'))), ...messages],
    });
    const first = await usage(server, body());
    expect(first).toMatchObject({ input: 0, long: first.written });
    expect(await usage(server, body(assistant(text('Yes.')), user(text('And?'))))).toMatchObject({
      read: first.written,
    });
  });

  describe('looks back', () => {
    const blocks = (count: number) => Array.from({ length: count }, (_, index) => text(`${index}`));
    const task = text(tokens(600, 'task'), short);
    const base = { model: marked.model, max_tokens: 100 };

    it('20 positions from a mark, its own counted', async () => {
      const { server } = await start();
      const { written } = await usage(server, { ...base, messages: [user(task)] });
      const unmarked = text(tokens(600, 'task'));
      const after = (count: number) => ({ ...base, messages: [user(unmarked, ...blocks(count), text('end', short))] });
      expect(await usage(server, after(19))).toMatchObject({ read: 0 });
      expect(await usage(server, after(18))).toMatchObject({ read: written });
    });

    it('over a run of calls, and of results, as one position', async () => {
      const { server } = await start();
      const tools = [{ name: 'look' }];
      const { written } = await usage(server, { ...base, tools, messages: [user(task)] });
      const ids = Array.from({ length: 30 }, (_, index) => `call_${index}`);
      const results = ids.map((id, index) => result(id, index === 29 ? short : {}));
      const messages = [user(text(tokens(600, 'task'))), assistant(...ids.map(call)), user(...results)];
      expect(await usage(server, { ...base, tools, messages })).toMatchObject({ read: written });
    });
  });

  describe('forgets', () => {
    it('after five minutes without a read', async () => {
      const { server, pass } = await start();
      const { written } = await usage(server, marked);
      pass(4 * minute);
      expect((await usage(server, marked)).read).toBe(written);
      pass(4 * minute);
      expect((await usage(server, marked)).read).toBe(written);
      pass(5 * minute);
      expect(await usage(server, marked)).toMatchObject({ read: 0, written });
    });

    it('nothing that a longer prompt has read since', async () => {
      const { server, pass } = await start();
      const task = text(tokens(600, 'task'));
      const upTo = (...blocks: JsonObject[]) => ({ model: marked.model, max_tokens: 100, messages: [user(...blocks)] });
      const { written } = await usage(server, upTo({ ...task, ...short }));
      pass(4 * minute);
      expect(await usage(server, upTo(task, text('One way.', short)))).toMatchObject({ read: written });
      pass(4 * minute);
      expect(await usage(server, upTo(task, text('Another.', short)))).toMatchObject({ read: written });
    });

    it('after an hour what was written for one', async () => {
      const { server, pass } = await start();
      const system = [text(tokens(600, 'system'), long)];
      const body = { ...marked, tools: undefined, system };
      const first = await usage(server, body);
      expect(first.long).toBeGreaterThanOrEqual(600);
      expect(first.short).toBeGreaterThanOrEqual(600);
      expect(first.long + first.short).toBe(first.written);
      pass(59 * minute);
      expect(await usage(server, body)).toMatchObject({ read: first.long, short: first.short, long: 0 });
      pass(60 * minute);
      expect(await usage(server, body)).toMatchObject({ read: 0 });
    });

    it.each([
      { before: short, after: long, life: 60 },
      { before: long, after: short, life: 5 },
    ])(
      'after $life minutes what was written for them when its first writing had expired',
      async ({ before, after, life }) => {
        const { server, pass } = await start();
        const markedBy = (mark: JsonObject) => ({
          model: marked.model,
          max_tokens: 100,
          messages: [user(text(tokens(600, 'task'), mark))],
        });
        await usage(server, markedBy(before));
        pass(60 * minute);
        const { read, written } = await usage(server, markedBy(after));
        expect(read).toBe(0);
        pass((life - 1) * minute);
        expect(await usage(server, markedBy(after))).toMatchObject({ read: written });
        pass(life * minute);
        expect(await usage(server, markedBy(after))).toMatchObject({ read: 0 });
      },
    );
  });

  describe('starts again', () => {
    /** Returns how much of the marked prompt a request that differs from it still reads. */
    const keptBy = async (fields: JsonObject, headers: Record<string, string> = {}) => {
      const { server } = await start();
      await usage(server, marked);
      const { read } = await usage(server, { ...marked, ...fields }, headers);
      const lengthOf = async (body: JsonObject) => (await usage((await start()).server, body)).written;
      const messages = [user(text('?'))];
      const ends = [
        [0, 'nothing'],
        [await lengthOf({ ...marked, messages, system: '' }), 'the tools'],
        [await lengthOf({ ...marked, messages }), 'tools and system'],
        [await lengthOf(marked), 'all'],
      ] as const;
      return ends.find(([end]) => end === read)?.[1];
    };

    it.each<[string, string, JsonObject]>([
      ['the messages', 'tools and system', { tool_choice: { type: 'any' } }],
      ['the messages', 'tools and system', { thinking: { type: 'adaptive' } }],
      ['the messages', 'tools and system', { messages: [user(text(tokens(600, 'another'), short))] }],
      [
        'the messages',
        'tools and system',
        { messages: [user(...marked.messages[0]!.content, { type: 'image', source: { type: 'url', url: 'x' } })] },
      ],
      [
        'nothing',
        'all',
        {
          messages: [
            user(...marked.messages[0]!.content),
            assistant({ ...call('a'), input: { type: 'image' } }),
            user(result('a')),
          ],
        },
      ],
      ['system and messages', 'the tools', { system: [text(tokens(600, 'another'), short)] }],
      ['system and messages', 'the tools', { speed: 'fast' }],
      ['everything', 'nothing', { model: 'claude-sonnet-5-5' }],
      ['everything', 'nothing', { tools: [{ ...marked.tools[0], name: 'see' }] }],
      ['nothing', 'all', { max_tokens: 200, metadata: { user_id: 'x' } }],
    ])('with %s, keeping %s, after %j', async (_what, kept, fields) => expect(await keptBy(fields)).toBe(kept));

    it('for every key', async () => expect(await keptBy({}, { 'x-api-key': 'another' })).toBe('nothing'));
  });

  it('can be read once the answer has begun, not before', async () => {
    let release: () => void = () => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    const { server } = await start({ faults: [{ fault: 'slow-first-byte', until }] });
    const held = usage(server, marked);
    while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const { read, written } = await usage(server, { ...marked, messages: [user(text('Another.'))] });
    expect({ read, isWritten: written > 0 }).toEqual({ read: 0, isWritten: true });
    release();
    const first = await held;
    expect(await usage(server, marked)).toMatchObject({ read: first.written, written: 0 });
  });

  it('has nothing of a request that is being answered when another comes', async () => {
    let release: () => void = () => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    let asked = 0;
    const { server } = await start({
      reply: async () => {
        asked += 1;
        await until;
        return { content: [text('Yes.')] };
      },
    });
    const both = [usage(server, marked), usage(server, marked)];
    while (asked < 2) await new Promise((resolve) => setImmediate(resolve));
    release();
    expect((await Promise.all(both)).map(({ read }) => read)).toEqual([0, 0]);
  });

  it('has nothing of a request that was refused, or cut before the first byte', async () => {
    const { server } = await start({ faults: [{ fault: 'cut' }, { fault: 'overloaded' }] });
    await expect(post(server, marked)).rejects.toThrow();
    expect(await post(server, marked)).toMatchObject({ status: 529 });
    expect(await usage(server, marked)).toMatchObject({ read: 0 });
  });

  it('is warmed by a request for no tokens, which asks nobody', async () => {
    const { server } = await start({ reply: () => expect.unreachable('nothing is asked') });
    const { body } = await post(server, { ...marked, max_tokens: 0 });
    expect(body).toMatchObject({ content: [], stop_reason: 'max_tokens', usage: { output_tokens: 0 } });
    expect((await usage(server, { ...marked, max_tokens: 0 })).read).toBeGreaterThan(1_800);
  });
});
