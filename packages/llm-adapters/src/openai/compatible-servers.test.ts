import fc from 'fast-check';
import type { AssistantMessage, Message, ToolMessage } from '@palimpsest/events';
import { openaiServer } from '@palimpsest/provider-servers';
import { checkChatCompletionsRequest } from '@palimpsest/provider-servers/rules';
import type { OpenAIServerOptions } from '@palimpsest/provider-servers';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { fewer } from '../../test-support/fewer.js';
import { unnamedToolName } from '../index.js';
import type { Delta } from '../index.js';
import { openaiLLM } from './llm.js';
import type { OpenAILLMOptions } from './llm.js';
import { profileOfAddress, serverProfile } from './server-profile.js';
import type { ServerName } from './server-profile.js';
import { toChatCompletionsRequest } from './chat/request.js';

// The package `openai` talks over HTTP to servers that refuse what each of the imitations of OpenAI refuses.

const text = (words: string) => ({ type: 'text' as const, text: words });
const user = (words: string): Message => ({ role: 'user', content: [text(words)] });
const system = (words: string): Message => ({ role: 'system', content: [text(words)] });
const says = (words: string): AssistantMessage => ({ role: 'assistant', content: [text(words)] });
const calls = (...ids: string[]): AssistantMessage => ({
  role: 'assistant',
  content: [],
  toolCalls: ids.map((id) => ({ id, name: 'run', arguments: '{}' })),
});
const result = (toolCallId: string, content: ToolMessage['content'] = [text('ok')]): ToolMessage => ({
  role: 'tool',
  toolCallId,
  toolName: 'run',
  content,
});
const image = { type: 'image' as const, url: 'data:image/png;base64,iVBO' };
const tools = [{ name: 'run', description: 'Runs.', inputSchema: { type: 'object' } }];

/** Everything that a view may render and one server or another refuses. */
const histories: readonly (readonly Message[])[] = [
  [user('Go.')],
  [system('Be short.'), calls('1'), result('1')],
  [system('Be short.'), user('Go.'), says('I go.'), calls('1', '2'), result('1'), result('2', [image]), user('And?')],
  [user('Go.'), calls('turn1_0'), result('turn1_0'), calls('turn1_0'), result('turn1_0', []), says('Done.')],
  [user('Go.'), system('It is late.'), calls('1'), result('1'), user('Well?'), user('Hello?')],
  [says('I begin.'), says('I go on.'), user('Do.'), calls('1'), result('1'), says('Yes.'), says('No.')],
];

type Profile = NonNullable<OpenAIServerOptions['profile']>;

async function connect(
  profile: Profile,
  server: ServerName,
  options: Partial<OpenAIServerOptions> &
    Pick<OpenAILLMOptions, 'api' | 'contextWindow'> & { readonly model?: string } = {},
) {
  const { api, model = 'some-model', ...ofServer } = options;
  const started = await openaiServer({ profile, reply: () => ({ message: { content: 'Hello.' } }), ...ofServer });
  onTestFinished(() => started.close());
  const { contextWindow } = options;
  const retry = { attempts: 1 };
  return {
    started,
    llm: openaiLLM({
      model,
      baseURL: started.baseURL,
      server,
      retry,
      ...(api && { api }),
      ...(contextWindow && { contextWindow }),
    }),
  };
}

const pairs: readonly (readonly [Profile, ServerName])[] = [
  ['mistral', 'mistral'],
  ['gemini', 'gemini'],
  ['deepseek', 'deepseek'],
  ['kimi', 'kimi'],
  ['openrouter', 'openrouter'],
  ['vllm-qwen', 'vllm'],
  ['strict-template', 'strict-template'],
  ['llama.cpp', 'llama.cpp'],
  ['lmstudio-old', 'lmstudio'],
  ['ollama', 'ollama'],
];

describe.each(pairs)('%s, told that it is %s', (profile, server) => {
  it('streams, and takes the answer back', async () => {
    const tool_calls = [
      { id: 'call_1', type: 'function', function: { name: 'run', arguments: '{"a":1}' } },
      { id: 'call_2', type: 'function', function: { name: 'run', arguments: '{}' } },
    ];
    const { llm, started } = await connect(profile, server, {
      reply: (_, index) => ({ message: index === 0 ? { content: 'I go.', tool_calls } : { content: 'Done.' } }),
    });
    const deltas: Delta[] = [];
    const onDelta = (delta: Delta) => deltas.push(delta);
    const first = await llm.complete({ messages: [user('Go.')], tools, onDelta });
    expect(first.finishReason).toBe('tool-calls');
    expect(first.message.toolCalls?.map((call) => call.arguments)).toEqual(['{"a":1}', '{}']);
    expect(deltas.filter(({ type }) => type === 'text').length).toBeGreaterThan(0);
    const ids = first.message.toolCalls?.map(({ id }) => id) ?? [];
    const messages = [user('Go.'), first.message, ...ids.map((id) => result(id))];
    expect((await llm.complete({ messages, tools, onDelta })).finishReason).toBe('stop');
    const [one, two] = started.requests.map(({ body }) => (body as { messages: unknown[] }).messages);
    expect(two?.slice(0, one?.length)).toEqual(one);
  });
});

it('deepseek is asked for JSON with the schema in words, at the end', async () => {
  const { llm, started } = await connect('deepseek', 'deepseek', {
    reply: () => ({ message: { content: '{"a":1}' } }),
  });
  const schema = { type: 'object', properties: { a: { type: 'integer' } } };
  const responseFormat = { name: 'a', schema };
  const messages = [user('Count.'), calls('1'), result('1')];
  expect((await llm.complete({ messages, tools, responseFormat })).message.content).toEqual([text('{"a":1}')]);
  await llm.complete({ messages, tools });
  const [held, free] = started.requests.map(({ body }) => body as { messages: { content: string }[] });
  expect(held).toMatchObject({ response_format: { type: 'json_object' } });
  expect(held?.messages.slice(0, -1)).toEqual(free?.messages);
  expect(held?.messages.at(-1)?.content).toContain(JSON.stringify(schema));
});

const words = fc.constantFrom('a', '', ' ').map(text);
const content = fc.array(fc.oneof(words, fc.constant(image)), { maxLength: 2 });
const ids = fc.uniqueArray(fc.constantFrom('a', 'b', 'call_1', 'x'.repeat(50), 'abcdefghi'), {
  minLength: 1,
  maxLength: 3,
});
const turn: fc.Arbitrary<readonly Message[]> = fc.oneof(
  fc
    .record({ role: fc.constantFrom('user' as const, 'assistant' as const, 'system' as const), content })
    .map((message) => [message]),
  fc
    .tuple(ids, content)
    .map(([made, said]) => [{ ...calls(...made), content: said }, ...made.map((id) => result(id, said))]),
);
const anyHistory = fc.array(turn, { maxLength: 8 }).map((turns) => turns.flat());

describe('any history that calls and answers', () => {
  test('is taken by every server', () => {
    fc.assert(
      fc.property(anyHistory, (messages) => {
        for (const [profile, server] of pairs) {
          const body = toChatCompletionsRequest(
            { messages, tools },
            { model: 'some-model', server: serverProfile(server) },
          );
          expect(checkChatCompletionsRequest(body, profile), server).toEqual([]);
        }
      }),
      { seed: 20_261_123, numRuns: fewer(100) },
    );
  });
});

describe('the profiles', () => {
  it('are needed: told that it is OpenAI, each server with rules of its own refuses some of these', async () => {
    const refusing: string[] = [];
    for (const profile of new Set(pairs.map(([name]) => name))) {
      const { llm } = await connect(profile, 'openai', { api: 'chat-completions' });
      const outcomes = await Promise.allSettled(histories.map((messages) => llm.complete({ messages, tools })));
      if (outcomes.some(({ status }) => status === 'rejected')) refusing.push(profile);
    }
    expect(refusing).toEqual(['mistral', 'gemini', 'deepseek', 'kimi', 'vllm-qwen', 'strict-template', 'lmstudio-old']);
  });

  it.each([
    ['https://api.openai.com/v1', 'openai'],
    ['https://eu.api.openai.com/v1', 'openai'],
    ['https://acme.openai.azure.com/openai/v1', 'openai'],
    ['https://openrouter.ai/api/v1', 'openrouter'],
    ['https://api.mistral.ai/v1', 'mistral'],
    ['https://generativelanguage.googleapis.com/v1beta/openai/', 'gemini'],
    ['https://api.deepseek.com', 'deepseek'],
    ['https://api.moonshot.ai/v1', 'kimi'],
    ['http://localhost:11434/v1', 'ollama'],
    ['http://127.0.0.1:1234/v1', 'lmstudio'],
    ['http://10.0.0.7:11434/v1', 'compatible'],
    ['https://example.org/api.openai.com', 'compatible'],
    ['https://notopenai.com', 'compatible'],
    ['nonsense', 'compatible'],
  ])('are told from the address: %s is %s', (address, name) => expect(profileOfAddress(address).name).toBe(name));

  it('can be changed field by field', async () => {
    const { llm, started } = await connect('mistral', 'mistral', { model: 'x' });
    const own = openaiLLM({
      model: 'x',
      baseURL: started.baseURL,
      server: { ...serverProfile('mistral'), endsWithUser: false },
      retry: { attempts: 1 },
    });
    const messages = [user('Go.'), says('Well.')];
    await expect(llm.complete({ messages })).resolves.toBeDefined();
    await expect(own.complete({ messages })).rejects.toMatchObject({ code: 'malformed-history' });
  });
});

describe('what each server says', () => {
  const window = { contextWindow: 50 };
  const long = [user('x'.repeat(1_000))];

  it.each(pairs.filter(([profile]) => profile !== 'ollama'))(
    'an overflow of %s is one, streamed or not',
    async (profile, server) => {
      const { started } = await connect(profile, server, window);
      const llm = openaiLLM({ model: 'some-model', baseURL: started.baseURL, server, retry: { attempts: 1 } });
      for (const onDelta of [undefined, () => undefined]) {
        const asked = llm.complete({ messages: long, onDelta });
        await expect(asked).rejects.toMatchObject({
          code: 'context-window-exceeded',
          kind: 'input',
          isRetryable: false,
        });
      }
    },
  );

  it.each([
    ['mistral', [user('Go.'), calls('1'), result('1'), user('And?')], 'Unexpected role'],
    ['gemini', [calls('1'), result('1')], 'function call turn'],
    ['deepseek', [user('Go.'), calls('1'), result('1')], 'must be passed back'],
    ['kimi', [user('Go.'), calls('1'), result('1')], 'reasoning_content is missing'],
    ['vllm-qwen', [user('Go.'), system('Be short.')], 'must be at the beginning'],
    ['strict-template', [user('Go.'), user('Now.')], 'must alternate'],
    ['lmstudio-old', [user('Go.'), calls('1'), result('1')], "'content' field must be a string"],
    ['openrouter', [user('Go.'), calls('1'), user('Well?')], 'must be followed by tool messages'],
  ] as const)('%s: a history that it refuses is malformed, in its own words', async (profile, messages, words) => {
    const { llm } = await connect(profile, 'openai', { api: 'chat-completions' });
    await expect(llm.complete({ messages, tools })).rejects.toMatchObject({
      code: 'malformed-history',
      message: expect.stringContaining(words) as string,
    });
  });
});

describe('thinking that comes in a stream', () => {
  const thought = 'I should look first.';
  const tool_calls = [{ id: 'call_1', type: 'function', function: { name: 'run', arguments: '{}' } }];

  // By whatever name a server hands it out, where it is wanted back it is sent by the one name that is documented.
  it.each(
    (['deepseek', 'kimi'] as const).flatMap((profile) =>
      (['reasoning_content', 'reasoning', 'thinking'] as const).map((name) => [profile, name] as const),
    ),
  )('of %s, as %s, goes back with the calls', async (profile, name) => {
    const { llm, started } = await connect(profile, profile, {
      reply: (_, index) => ({
        message: index === 0 ? { [name]: thought, tool_calls } : { content: 'Done.' },
      }),
    });
    for (const onDelta of [undefined, () => undefined]) {
      const heard = onDelta === undefined ? {} : { onDelta };
      const { message } = await llm.complete({ messages: [user('Go.')], tools, ...heard });
      if (message.toolCalls === undefined) continue;
      expect(message.reasoningContent).toBe(thought);
      await llm.complete({ messages: [user('Go.'), message, result('call_1')], tools, ...heard });
      expect(started.requests.at(-1)?.body).toMatchObject({ messages: [{}, { reasoning_content: thought }, {}] });
    }
  });

  it.each(pairs.filter(([profile]) => profile !== 'deepseek' && profile !== 'kimi'))(
    'of %s stays here',
    async (profile, server) => {
      const { llm, started } = await connect(profile, server, {
        reply: () => ({ message: { thinking: thought, content: 'Done.' } }),
      });
      const deltas: Delta[] = [];
      const { message } = await llm.complete({ messages: [user('Go.')], onDelta: (delta) => deltas.push(delta) });
      expect(deltas.map((delta) => (delta.type === 'thinking' ? delta.text : '')).join('')).toBe(thought);
      const messages = [user('Go.'), { ...message, ...calls('1') }, result('1'), says('Well.'), user('And?')];
      await llm.complete({ messages, tools });
      expect(JSON.stringify(started.requests.at(-1)?.body)).not.toContain(thought);
    },
  );
});

describe('a stream that ends with [DONE] and no reason', () => {
  const called = { name: 'run', arguments: '{"a":1}' };
  const tool_calls = [{ id: 'call_1', type: 'function', function: called }];
  const silent = (message: object) => () => ({ message: { ...message }, finish_reason: null });
  const local = pairs.filter(([, server]) => serverProfile(server).endOfStream === 'done');

  it.each([...local, ['llama.cpp', 'compatible'] as const])('is an answer of %s', async (profile, server) => {
    const heard = { onDelta: () => undefined };
    const words = await connect(profile, server, { reply: silent({ content: 'Hello.' }) });
    expect(await words.llm.complete({ messages: [user('Hello?')], ...heard })).toMatchObject({
      message: { content: [text('Hello.')] },
      finishReason: 'stop',
    });
    const call = await connect(profile, server, { reply: silent({ tool_calls }) });
    expect(await call.llm.complete({ messages: [user('Go.')], tools, ...heard })).toMatchObject({
      message: { toolCalls: [called] },
      finishReason: 'tool-calls',
    });
    expect(call.started.requests).toHaveLength(1);
  });

  it.each(pairs.filter((pair) => !local.includes(pair)))(
    'is none of %s, which always gives one',
    async (profile, server) => {
      const { llm } = await connect(profile, server, { reply: silent({ content: 'Hello.' }) });
      const asked = llm.complete({ messages: [user('Hello?')], onDelta: () => undefined });
      await expect(asked).rejects.toMatchObject({ code: 'service-unavailable', isRetryable: true });
    },
  );

  it('is no answer where nothing was said, or where the stream was cut before it', async () => {
    const empty = await connect('llama.cpp', 'llama.cpp', { reply: silent({}) });
    const cut = await connect('llama.cpp', 'llama.cpp', {
      reply: () => ({ ...silent({ content: 'Hello.' })(), delivery: { fault: 'cut', afterEvents: 2 } }),
    });
    for (const { llm } of [empty, cut]) {
      const asked = llm.complete({ messages: [user('Hello?')], onDelta: () => undefined });
      await expect(asked).rejects.toMatchObject({ code: 'service-unavailable', isRetryable: true });
    }
  });
});

describe('a call that lacks what a call has', () => {
  const lacking: readonly (readonly [string, Record<string, unknown>])[] = [
    ['no function', { id: 'call_1', type: 'function' }],
    ['an empty name', { id: 'call_1', type: 'function', function: { name: '', arguments: '{}' } }],
    ['no arguments', { id: 'call_1', type: 'function', function: { name: 'run' } }],
    ['arguments that are no text', { id: 'call_1', type: 'function', function: { name: 'run', arguments: [1] } }],
  ];

  it.each(lacking.flatMap(([what, call]) => [false, true].map((isStreamed) => [what, isStreamed, call] as const)))(
    'is read: %s, streamed: %s',
    async (_what, isStreamed, call) => {
      const { llm, started } = await connect('llama.cpp', 'llama.cpp', {
        reply: (_, index) => ({ message: index === 0 ? { tool_calls: [call] } : { content: 'Done.' } }),
      });
      const deltas: Delta[] = [];
      const heard = isStreamed ? { onDelta: (delta: Delta) => deltas.push(delta) } : {};
      const { message } = await llm.complete({ messages: [user('Go.')], tools, ...heard });
      const [read] = message.toolCalls ?? [];
      expect(read).toEqual({
        id: 'call_1',
        name: expect.any(String) as string,
        arguments: expect.any(String) as string,
      });
      expect(['run', unnamedToolName]).toContain(read?.name);
      const names = deltas.map((delta) => (delta.type === 'tool-call' ? (delta.name ?? '') : ''));
      if (isStreamed) expect(names.join('')).toBe(read?.name);
      const messages = [user('Go.'), message, { ...result('call_1'), toolName: read?.name ?? '' }];
      await expect(llm.complete({ messages, tools })).resolves.toMatchObject({ finishReason: 'stop' });
      expect(started.requests).toHaveLength(2);
    },
  );
});
