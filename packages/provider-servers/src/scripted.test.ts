import { expect, onTestFinished, test } from 'vitest';
import { rewritesIn, sentTo } from './servers/sent-history.js';
import { scriptedServer, toolLoop } from './scripted.js';

const script = () => ({
  text: 'Yes.',
  thinking: 'Hm.',
  calls: [{ id: 'call_1', name: 'read', input: { path: 'a' } }],
});
const parameters = { type: 'object' };
const user = { role: 'user', content: 'Hello?' };

async function ask(api: 'anthropic' | 'openai', path: string, body: object) {
  const server = await scriptedServer(api, script);
  onTestFinished(() => server.close());
  const response = await fetch(`${server.baseURL}${path}`, { method: 'POST', body: JSON.stringify(body) });
  return { answer: await response.json(), server };
}

test('the addresses of both servers end alike, and the base URLs as the SDKs want them', async () => {
  const hello = { messages: [user], max_tokens: 9 };
  const { server: anthropic } = await ask('anthropic', '/v1/messages', { ...hello, model: 'claude-haiku-4-5' });
  const { server: openai } = await ask('openai', '/chat/completions', { ...hello, model: 'gpt-4o' });
  for (const { url } of [anthropic, openai]) expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(anthropic.baseURL).toBe(anthropic.url);
  expect(openai.baseURL).toBe(`${openai.url}/v1`);
  const outside = await fetch(`${openai.url}/chat/completions`, { method: 'POST', body: '{}' });
  expect([outside.status, await outside.text()]).toEqual([404, expect.stringContaining("use the server's `baseURL`")]);
});

test('one script answers in the form of each protocol', async () => {
  const model = 'claude-opus-4-6';
  const anthropic = await ask('anthropic', '/v1/messages', {
    model,
    max_tokens: 100,
    thinking: { type: 'adaptive' },
    tools: [{ name: 'read', input_schema: parameters }],
    messages: [user],
  });
  expect(anthropic.answer).toMatchObject({
    content: [
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'Yes.' },
      { type: 'tool_use', id: 'call_1', name: 'read', input: { path: 'a' } },
    ],
    stop_reason: 'tool_use',
  });
  const chat = await ask('openai', '/chat/completions', {
    model: 'gpt-4o',
    tools: [{ type: 'function', function: { name: 'read', parameters } }],
    messages: [user],
  });
  const called = { name: 'read', arguments: '{"path":"a"}' };
  expect(chat.answer).toMatchObject({
    choices: [{ message: { content: 'Yes.', tool_calls: [{ id: 'call_1', function: called }] } }],
  });
  const responses = await ask('openai', '/responses', {
    model: 'gpt-5',
    tools: [{ type: 'function', name: 'read', parameters }],
    input: [user],
  });
  expect(responses.answer).toMatchObject({
    output: [{ type: 'reasoning' }, { type: 'message' }, { type: 'function_call', call_id: 'call_1', ...called }],
  });
  expect(sentTo(responses.server)).toEqual([[JSON.stringify(user)]]);
});

test('a script may say where an answer was cut, on each protocol', async () => {
  const cut = () => ({ calls: [{ id: 'call_1', name: 'read', input: '{"path":' }], end: 'limit' as const });
  const ask = async (api: 'anthropic' | 'openai', path: string, body: object) => {
    const server = await scriptedServer(api, cut);
    onTestFinished(() => server.close());
    return (await fetch(`${server.baseURL}${path}`, { method: 'POST', body: JSON.stringify(body) })).json();
  };
  const tools = [{ name: 'read', input_schema: parameters }];
  const asked = { model: 'claude-opus-4-6', max_tokens: 100, tools, messages: [user] };
  // Without a stream the provider parses the input, and half of one becomes an empty one.
  expect(await ask('anthropic', '/v1/messages', asked)).toMatchObject({
    content: [{ input: {} }],
    stop_reason: 'max_tokens',
  });
  const functions = [{ type: 'function', function: { name: 'read', parameters } }];
  expect(
    await ask('openai', '/chat/completions', { model: 'gpt-4o', tools: functions, messages: [user] }),
  ).toMatchObject({
    choices: [{ finish_reason: 'length', message: { tool_calls: [{ function: { arguments: '{"path":' } }] } }],
  });
  const flat = [{ type: 'function', name: 'read', parameters }];
  expect(await ask('openai', '/responses', { model: 'gpt-5', tools: flat, input: [user] })).toMatchObject({
    status: 'incomplete',
    output: [{ type: 'function_call', status: 'incomplete', arguments: '{"path":' }],
  });
});

test('a loop of tool calls ends with text, and begins again', () => {
  const answers = Array.from({ length: 6 }, (_, index) => toolLoop({ steps: 3 })({}, index));
  expect(answers.map(({ calls = [] }) => calls.length)).toEqual([1, 1, 0, 1, 1, 0]);
  expect(answers[3]?.calls?.[0]?.input).toEqual({ path: 'missing/call_3_0.ts' });
  expect(answers[4]?.calls?.[0]?.name).toBe('screenshot');
  expect(answers[5]?.text).toBe('Answer 5.');
});

test('a history that does not begin with the one before is a rewrite', () => {
  expect(rewritesIn([['a'], ['a', 'b'], ['b'], ['b', 'c']])).toEqual([2]);
});

test.each(['cache_control', 'prompt_cache_breakpoint'])('%s that moves to the end is no rewrite', (name) => {
  const text = (said: string, isMarked: boolean) => ({
    type: 'text',
    text: said,
    ...(isMarked ? { [name]: { type: 'ephemeral' } } : {}),
  });
  const said = (role: string, words: string, isMarked: boolean) =>
    isMarked ? { role, content: [text(words, true)] } : { role, content: words };
  const bodies = [1, 2, 3].map((count) => ({
    messages: Array.from({ length: count }, (_, index) => [
      said('user', `Question ${index}.`, index === count - 1),
      { role: 'assistant', content: [text('One.', false), text('Two.', index === count - 1)] },
    ]).flat(),
  }));
  const requests = bodies.map((body) => ({ body })) as unknown as Parameters<typeof sentTo>[0]['requests'];
  expect(rewritesIn(sentTo({ requests }))).toEqual([]);
});
