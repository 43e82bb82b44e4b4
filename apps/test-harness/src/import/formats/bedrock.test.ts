import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import {
  fixture,
  jsonLines,
  noteKinds,
  outline,
  sessionAt,
  sessionOf,
} from '../../../test-support/fixtures/fixture-files.js';

const session = await sessionAt(fixture('bedrock-converse.json'));

const messages = [
  'recorded/unread',
  "user as user: Sort these.|<image>|(A block 'document' is not shown here.)",
  'response-1 t1 sort {"box":"a"} «I sort.»',
  'response-1 t2 sort {"box":"b"} «»',
  'llm-usage',
  'result t1 sort: {"letters":2}',
  'error t2 sort: no such box',
  'recorded/unread',
  'user as user: And then?',
  'agent as assistant: Two letters.',
];

test('a request: parallel calls, their results and words in one message, signed reasoning', () => {
  expect(session.format).toBe('bedrock-converse');
  expect(session.events.map(outline)).toEqual(['system You sort mail. [sort]', ...messages]);
  expect(session.events[0]).toMatchObject({ dynamicContext: 'It is Sunday.' });
  expect(session.events[3]).toMatchObject({ thinkingBlocks: [{ thinking: 'Two boxes.', signature: 'c2ln' }] });
  expect(session.events[2]).toMatchObject({
    content: [{ text: 'Sort these.' }, { url: 'data:image/png;base64,aGk=' }, {}],
  });
  expect(noteKinds(session)).toEqual(['unsupported-content ×1', 'unsupported-content ×1']);
});

test('usage counts what was read from the cache beside the input', () => {
  expect(session.events[5]).toMatchObject({
    model: 'invented.model-v1',
    usage: { uncachedInputTokens: 40, cacheReadTokens: 90, outputTokens: 12 },
  });
});

test('a list and lines of messages are recognised by their blocks, not read as Chat messages', async () => {
  const request = JSON.parse(await readFile(fixture('bedrock-converse.json'), 'utf8')) as {
    messages: readonly unknown[];
  };
  for (const log of [JSON.stringify(request.messages), jsonLines(request.messages)]) {
    const other = await sessionOf(log);
    expect(other.format).toBe('bedrock-converse');
    expect(other.events.map(outline)).toEqual(messages);
  }
  const words = await sessionOf(JSON.stringify([{ role: 'user', content: [{ text: 'Hi.' }] }]));
  expect(words.format).toBe('bedrock-converse');
});

test('messages of the other APIs are none of Bedrock', async () => {
  const chat = await sessionOf(JSON.stringify([{ role: 'user', content: [{ type: 'text', text: 'Hi.' }] }]));
  expect(chat.format).toBe('openai-chat');
});

test('redacted and unsigned reasoning, cited words, a call without a result', async () => {
  const read = await sessionOf(
    JSON.stringify([
      {
        role: 'assistant',
        content: [
          { reasoningContent: { redactedContent: 'b3Bh' } },
          { reasoningContent: { reasoningText: { text: 'Hm.' } } },
          { citationsContent: { content: [{ text: 'It says so.' }], citations: [] } },
          { toolUse: { toolUseId: 't', name: 'sort', input: {} } },
        ],
      },
    ]),
  );
  expect(read.events[0]).toMatchObject({
    thinkingBlocks: [{ type: 'redacted-thinking', data: 'b3Bh' }],
    reasoningContent: 'Hm.',
    thought: [{ text: 'It says so.' }],
  });
  expect(noteKinds(read)).toContain('call-without-result ×1');
});
