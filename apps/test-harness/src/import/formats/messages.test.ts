import { expect, test } from 'vitest';
import {
  fixture,
  jsonLines,
  outline,
  sessionAt,
  sessionOf,
  sessionsAt,
} from '../../../test-support/fixtures/fixture-files.js';
import { modelCalls } from '../log/model-calls.js';

const flight = [
  'user as user: Book one to Ulm.',
  'response-1 call_1 search {"to":"ULM"} «»',
  'response-1 call_2 user {} «»',
  'result call_1 search: []',
  'result call_2 user: {"id":7}',
  'environment as user: Answer in German.',
  'agent as assistant: Keine Flüge.',
];

test('an object with messages and tools', async () => {
  const session = await sessionAt(fixture('openai-chat.json'));
  expect(session.format).toBe('openai-chat');
  expect(session.events.map(outline)).toEqual(['system You book flights. [search]', ...flight]);
  expect(session.events[2]).toMatchObject({ reasoningContent: 'Which ones?', thought: [] });
  expect(session.notes).toEqual([]);
  expect(modelCalls(session.events)).toEqual([2, 7]);
});

test('JSON Lines of messages', async () => {
  const session = await sessionAt(fixture('openai-chat.messages.jsonl'));
  expect(session.events.map(outline)).toEqual(['system You book flights. []', ...flight]);
  expect(session.events[4]?.id).toBe('line-4');
});

test('a list of messages', async () => {
  const { events } = await sessionOf(
    JSON.stringify([
      { role: 'user', content: 'Hi.' },
      { role: 'assistant', content: 'Hello.' },
    ]),
  );
  expect(events.map(outline)).toEqual(['user as user: Hi.', 'agent as assistant: Hello.']);
});

test("tau-bench's list of runs gives a session for each, named by task and trial", async () => {
  const sessions = await sessionsAt(fixture('openai-chat.tau.json'));
  expect(sessions.map(({ name }) => name)).toEqual(['openai-chat.tau.json#3.0', 'openai-chat.tau.json#3.1']);
  expect(sessions[1]?.events.map(outline)).toEqual(['system You book flights. []', ...flight]);
});

test('JSON Lines of conversations; calls of before there were ids are matched by name', async () => {
  const [one, two] = await sessionsAt(fixture('openai-chat.wrapped.jsonl'));
  expect([one?.name, two?.name]).toEqual(['openai-chat.wrapped.jsonl#one', 'openai-chat.wrapped.jsonl#two']);
  expect(two?.events.slice(2).map(outline)).toEqual([
    'response-1 call-of-message-2 search {} «»',
    'result call-of-message-2 search: none',
  ]);
});

test('tools without a system prompt stand in an empty one', async () => {
  const tools = [{ type: 'function', function: { name: 'run', parameters: { type: 'object' } } }];
  const { events } = await sessionOf(JSON.stringify({ messages: [{ role: 'user', content: 'Hi.' }], tools }));
  expect(events.map(outline)).toEqual(['system  [run]', 'user as user: Hi.']);
});

test('a result in the user place is the environment speaking; images and refusals are kept', async () => {
  const { events } = await sessionOf(
    JSON.stringify([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url: 'https://kettle.example/a.png' } },
        ],
      },
      { role: 'assistant', content: null, refusal: 'No.' },
      { role: 'user', content: '<returncode>0</returncode>' },
    ]),
  );
  expect(events.map(outline)).toEqual([
    'user as user: What is it?|<image>',
    'agent as assistant: No.',
    'environment as user: <returncode>0</returncode>',
  ]);
});

test('what has no form here is noted: content as words, arguments that do not parse, unknown lines', async () => {
  const { events, notes } = await sessionOf(
    jsonLines([
      { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'x'.repeat(3_000) } }] },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'run', arguments: '{"a":' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'Invalid JSON.' },
      { colour: 'red' },
    ]),
  );
  expect(events.map(outline)).toEqual([
    'recorded/unread',
    'user as user: (Audio is not kept here.)',
    'response-1 c run {"a": «»',
    'result c run: Invalid JSON.',
  ]);
  expect(events[2]).toMatchObject({ executable: false });
  expect(notes.map(({ kind, line }) => `${kind} ${line}`)).toEqual([
    'unsupported-content 1',
    'arguments-not-json 2',
    'unknown-line-type 4',
  ]);
});

test('a message without content is left out and noted', async () => {
  const { events, notes } = await sessionOf(
    jsonLines([
      { role: 'user', content: 'Hi.' },
      { role: 'user', content: null },
    ]),
  );
  expect(events).toHaveLength(1);
  expect(notes).toMatchObject([{ kind: 'skipped-line', line: 2, message: 'a message without content' }]);
});

test('raw responses give usage: what was read from the cache and written to it is part of the input', async () => {
  const usage = {
    prompt_tokens: 10_000,
    completion_tokens: 9,
    prompt_tokens_details: { cached_tokens: 6_000, cache_write_tokens: 3_000 },
  };
  const { events } = await sessionOf(
    JSON.stringify({
      messages: [
        { role: 'user', content: 'Hi.' },
        { role: 'assistant', content: 'Hello.', extra: { response: { model: 'm', usage } } },
      ],
    }),
  );
  expect(events[2]).toMatchObject({
    model: 'm',
    usage: { uncachedInputTokens: 1_000, cacheReadTokens: 6_000, cacheWriteTokens: 3_000, outputTokens: 9 },
  });
});
