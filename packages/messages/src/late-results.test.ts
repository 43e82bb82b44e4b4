import { condensation, NoCondensationAvailableError } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { anthropicServer, openaiServer } from '@palimpsest/provider-servers';
import type { ProviderServer } from '@palimpsest/provider-servers';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AnthropicMessage } from '../test-support/anthropic-loop.js';
import type { ChatMessage } from '../test-support/chat-loop.js';
import type { ResponsesItem } from '../test-support/responses-loop.js';
import { anthropicMessages, chatMessages, condensedHistory, responsesItems } from './index.js';
import type { Codec } from './index.js';

/** A host of one API, which writes its messages and asks its model. */
interface Host<Message> {
  readonly codec: Codec;
  user(text: string): Message;
  says(text: string): Message;
  calls(...ids: readonly string[]): readonly Message[];
  result(id: string, text: string): Message;
  ask(messages: readonly Message[]): Promise<unknown>;
}

const servers: ProviderServer[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

async function openai(): Promise<OpenAI> {
  const server = await openaiServer({ reply: () => ({ message: { role: 'assistant', content: 'Yes.' } }) });
  servers.push(server);
  return new OpenAI({ baseURL: server.baseURL, apiKey: 'key', maxRetries: 0 });
}

const parameters = { type: 'object' as const };

const hosts: readonly (() => Promise<Host<object>>)[] = [
  async (): Promise<Host<ChatMessage>> => {
    const client = await openai();
    const call = (id: string) => ({ id, type: 'function' as const, function: { name: 'job', arguments: '{}' } });
    return {
      codec: chatMessages(),
      user: (content) => ({ role: 'user', content }),
      says: (content) => ({ role: 'assistant', content }),
      calls: (...ids) => [{ role: 'assistant', content: 'I start it.', tool_calls: ids.map(call) }],
      result: (id, content) => ({ role: 'tool', tool_call_id: id, content }),
      ask: (messages) =>
        client.chat.completions.create({
          model: 'gpt-4o',
          messages: [...messages],
          tools: [{ type: 'function', function: { name: 'job', parameters } }],
        }),
    };
  },
  async (): Promise<Host<AnthropicMessage>> => {
    const server = await anthropicServer({ reply: () => ({ content: [{ type: 'text', text: 'Yes.' }] }) });
    servers.push(server);
    const client = new Anthropic({ baseURL: server.baseURL, apiKey: 'key', maxRetries: 0 });
    const call = (id: string) => ({ type: 'tool_use' as const, id, name: 'job', input: {} });
    return {
      codec: anthropicMessages(),
      user: (content) => ({ role: 'user', content }),
      says: (content) => ({ role: 'assistant', content }),
      calls: (...ids) => [{ role: 'assistant', content: [{ type: 'text', text: 'I start it.' }, ...ids.map(call)] }],
      result: (id, content) => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] }),
      ask: (messages) =>
        client.messages.create({
          model: 'claude-haiku-4-5',
          max_tokens: 100,
          messages: [...messages],
          tools: [{ name: 'job', input_schema: parameters }],
        }),
    };
  },
  async (): Promise<Host<ResponsesItem>> => {
    const client = await openai();
    let items = 0;
    const name = 'job';
    return {
      codec: responsesItems(),
      user: (content) => ({ role: 'user', content }),
      says: (text) => ({
        ...{ type: 'message', id: `msg_${++items}`, role: 'assistant', status: 'completed' },
        content: [{ type: 'output_text', text, annotations: [] }],
      }),
      calls: (...ids) =>
        ids.map((id) => ({ type: 'function_call', id: `fc_${id}`, call_id: id, name, arguments: '{}' })),
      result: (call_id, output) => ({ type: 'function_call_output', call_id, output }),
      ask: (messages) =>
        client.responses.create({
          model: 'gpt-5',
          store: false,
          input: [...messages],
          tools: [{ type: 'function', name, parameters, strict: false }],
        }),
    };
  },
];

/** Forgets a unit with a text, and what stands between it and the second message, once. */
function forgetting(text: string): Condenser {
  return {
    name: 'forgetting',
    condense: (view) => {
      const last = view.events.findLastIndex((event) => JSON.stringify(event).includes(text));
      const end = view.cutPoints.atOrAfter(last + 1);
      if (view.condensations.length > 0 || last < 0 || end === undefined) return view;
      try {
        return condensation({ view, start: 1, end, summary: 'A job was started.' });
      } catch (error) {
        if (NoCondensationAvailableError.isInstance(error)) return view;
        throw error;
      }
    },
  };
}

const idle: Condenser = { name: 'idle', condense: (view) => view };

describe.each([0, 1, 2])('host %i: the newest result reaches the model', (index) => {
  let host: Host<object>;
  beforeAll(async () => {
    host = await (hosts[index] as () => Promise<Host<object>>)();
  });

  async function sentOf(list: readonly object[], condenser: Condenser, repair = false): Promise<readonly object[]> {
    const history = condensedHistory({ condenser, codec: host.codec, repair });
    const before = structuredClone(list);
    // Step by step, as a loop does, so that what is made for a list that grows is tried too.
    let messages: readonly object[] = [];
    for (let count = 1; count <= list.length; count++) {
      const fitted = await history.fit(list.slice(0, count));
      expect(fitted.problem).toBeUndefined();
      ({ messages } = fitted as { readonly messages: readonly object[] });
    }
    expect(list).toEqual(before);
    const anew = condensedHistory({ condenser: idle, codec: host.codec, repair });
    if (condenser === idle) expect((await anew.fit([...list])).messages).toEqual(messages);
    await host.ask(messages);
    return messages;
  }

  const places = (sent: readonly object[], ...texts: readonly string[]) =>
    texts.map((text) => sent.findIndex((message) => JSON.stringify(message).includes(text)));

  test('where its call and a first result were condensed away', async () => {
    const { user, says, calls, result } = host;
    const list = [user('Go.'), ...calls('a', 'b'), result('a', 'It runs.'), result('b', 'B.'), says('I wait.')];
    list.push(user('And?'), ...calls('c'), result('c', 'C.'), result('a', 'It is done.'), user('Well?'));
    const sent = await sentOf(list, forgetting('It runs.'));
    expect(JSON.stringify(sent)).not.toContain('It runs.');
    const [summary = 0, c = 0, done = 0, last] = places(sent, 'A job was started.', 'C.', 'It is done.', 'Well?');
    expect([summary, c, done, last]).toEqual([1, done - 2, done, sent.length - 1]);
    expect(JSON.stringify(sent[done - 1])).toContain('job');
    expect(JSON.stringify(sent[done - 1])).not.toMatch(/I start it|"b"/);
  });

  test('where the first one was read: behind it, as a pair', async () => {
    const { user, says, calls, result } = host;
    const list = [user('Go.'), ...calls('a'), result('a', 'It runs.'), says('I wait.')];
    list.push(...calls('b', 'c'), result('b', 'B.'), result('a', 'Half.'), result('c', 'C.'));
    list.push(says('I wait on.'), result('a', 'It is done.'), user('Well?'));
    const sent = await sentOf(list, idle);
    const [runs = 0, c = 0, half = 0, done = 0] = places(sent, 'It runs.', 'C.', 'Half.', 'It is done.');
    expect([runs < c, half - c, JSON.stringify(sent[done - 1]).includes('job')]).toEqual([true, 2, true]);
    expect(sent).toHaveLength(list.length + 2);
    expect(sent[runs]).toBe(list[runs]);
  });

  test('where none has read the first one: in its place', async () => {
    const { user, calls, result } = host;
    const list = [user('Go.'), ...calls('a', 'b'), result('a', 'It runs.'), result('b', 'B.'), user('Hurry.')];
    list.push(result('a', 'Nearly.'), user('Well?'), result('a', 'It is done.'));
    const sent = await sentOf(list, idle);
    expect(JSON.stringify(sent)).not.toMatch(/It runs|Nearly/);
    const [done = 0, b, hurry, well] = places(sent, 'It is done.', 'B.', 'Hurry.', 'Well?');
    expect([b, hurry, well, sent.length]).toEqual([done + 1, done + 2, done + 3, done + 4]);
  });

  test('where its call had none, and was condensed away or left out by a repair', async () => {
    const { user, says, calls, result } = host;
    const list = [user('Go.'), ...calls('a'), user('Never mind.'), says('Good.'), user('And?'), says('I wait.')];
    list.push(result('a', 'It is done.'), user('Well?'));
    for (const condenser of [idle, forgetting('Good.')]) {
      const sent = await sentOf(list, condenser, true);
      const [done = 0] = places(sent, 'It is done.');
      expect(JSON.stringify(sent[done - 1])).toContain('job');
      expect(JSON.stringify(sent.slice(0, done - 1))).not.toContain('job"');
    }
  });
});

test('two results of a call in one message are one', async () => {
  const host = await (hosts[1] as () => Promise<Host<object>>)();
  const results = ['It runs.', 'It is done.'].map((content) => ({ type: 'tool_result', tool_use_id: 'a', content }));
  const list = [host.user('Go.'), ...host.calls('a'), { role: 'user', content: results }, host.user('Well?')];
  const { messages } = await condensedHistory({ condenser: idle, codec: host.codec }).fit(list);
  await host.ask(messages);
  expect(messages[2]).toEqual({ role: 'user', content: results.slice(1) });
});
