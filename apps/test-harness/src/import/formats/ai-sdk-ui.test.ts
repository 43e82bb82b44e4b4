import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  fixture,
  jsonLines,
  noteKinds,
  outline,
  sessionAt,
  sessionOf,
  sessionsAt,
  withFiles,
} from '../../../test-support/fixtures/fixture-files.js';
import { modelCalls } from '../log/model-calls.js';

const session = await sessionAt(fixture('ai-sdk-ui.json'));

const lines = [
  'system You sell tea. []',
  'recorded/unread',
  'user as user: Green tea?|<image>|(A file is not kept here.)',
  'response-1 c1 getPrice {"tea":"green"} «I look.»',
  'response-1 c2 stock {"tea":"green"} «»',
  'result c1 getPrice: {"euro":4}',
  'error c2 stock: no network',
  'response-2 c3 order {"tea":"green"} «»',
  'error c3 order: Too dear.',
  'agent as assistant: Four euro.',
  'user as user: Order.',
  'response-4 c4 order {"tea":"green"} «»',
  'response-4 c5 order {"tea":"gr"} «»',
  'llm-usage',
];

test('a chat: each step of a message is a reply with its calls, and then their results', () => {
  expect(session.format).toBe('ai-sdk-ui');
  expect(session.events.map(outline)).toEqual(lines);
  expect(modelCalls(session.events)).toEqual([3, 7, 9, 11]);
  expect(session.events[3]).toMatchObject({ thinkingBlocks: [{ thinking: 'Look it up.', signature: 'c2ln' }] });
  expect(session.events[2]).toMatchObject({ timestamp: '2026-03-01T09:00:00.000Z' });
});

test('usage of one step is counted, the sum of several is noted; calls that still run have no result', () => {
  expect(session.events[13]).toMatchObject({
    model: 'invented-1',
    usage: { uncachedInputTokens: 20, cacheReadTokens: 80, outputTokens: 7 },
  });
  expect(noteKinds(session)).toEqual([
    'unsupported-content ×1',
    'skipped-line ×1',
    'skipped-line ×1',
    'skipped-line ×1',
    'call-without-result ×1',
    'call-without-result ×1',
  ]);
});

test('a list, lines of messages, and lines of chats', async () => {
  const chat = JSON.parse(await readFile(fixture('ai-sdk-ui.json'), 'utf8')) as { messages: readonly unknown[] };
  for (const log of [JSON.stringify(chat.messages), jsonLines(chat.messages)]) {
    const other = await sessionOf(log);
    expect(other.format).toBe('ai-sdk-ui');
    expect(other.events.map(outline)).toEqual(lines);
  }
  await withFiles({ 'chats.jsonl': jsonLines([chat, { ...chat, id: 'chat-2' }]) }, async (folder) => {
    const names = (await sessionsAt(join(folder, 'chats.jsonl'))).map(({ name }) => name);
    expect(names).toEqual(['chats.jsonl#chat-1', 'chats.jsonl#chat-2']);
  });
});

test('messages of version 4: invocations, reasoning without a signature, times beside the parts', async () => {
  const invocation = (step: number, toolCallId: string, rest: object): object => ({
    type: 'tool-invocation',
    toolInvocation: { step, toolCallId, toolName: 'price', args: { tea: 'black' }, ...rest },
  });
  const old = await sessionOf(
    JSON.stringify([
      { role: 'user', content: 'Tea?', createdAt: '2026-03-01T09:00:00.000Z', parts: [{ type: 'text', text: 'Tea?' }] },
      {
        role: 'assistant',
        content: 'Three.',
        parts: [
          { type: 'reasoning', reasoning: 'Ask.', details: [] },
          invocation(0, 'a', { state: 'result', result: '3' }),
          invocation(0, 'b', { state: 'call' }),
          { type: 'step-start' },
          { type: 'text', text: 'Three.' },
        ],
      },
    ]),
  );
  expect(old.events.map(outline)).toEqual([
    'user as user: Tea?',
    'response-1 a price {"tea":"black"} «»',
    'response-1 b price {"tea":"black"} «»',
    'result a price: 3',
    'agent as assistant: Three.',
  ]);
  expect(old.events[1]).toMatchObject({ reasoningContent: 'Ask.' });
});
