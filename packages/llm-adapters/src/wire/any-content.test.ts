import fc from 'fast-check';
import { parseEvent } from '@palimpsest/events';
import { describe, expect, test } from 'vitest';
import { readAnthropicMessage } from '../anthropic/reader.js';
import { readChatMessage } from '../openai/chat/reader.js';
import { HistoryReader } from './history-reader.js';
import type { HistoryRules } from './history-reader.js';
import type { ReadMessage } from './pieces.js';
import { anthropicUsage, openaiUsage } from './reported-usage.js';
import { readResponsesItem } from '../openai/responses/reader.js';
import { readTool } from './pieces.js';

// Logs and servers hold anything under the names of the three APIs. A reader never throws, and leaves nothing out.

const types = [
  ...['text', 'image', 'document', 'search_result', 'thinking', 'redacted_thinking', 'tool_use', 'tool_result'],
  ...[
    'input_text',
    'output_text',
    'image_url',
    'input_image',
    'refusal',
    'file',
    'input_audio',
    'reasoning',
    'hologram',
  ],
  ...['message', 'function_call', 'function_call_output', 'custom_tool_call', 'local_shell_call', 'web_search_call'],
  ...['tool-call', 'tool-result'],
];
const keys = [
  ...[
    'text',
    'source',
    'data',
    'title',
    'content',
    'name',
    'id',
    'input',
    'thinking',
    'signature',
    'image_url',
    'refusal',
  ],
  ...[
    'tool_use_id',
    'call_id',
    'output',
    'arguments',
    'summary',
    'function',
    'custom',
    'is_error',
    'citations',
    'toolCallId',
  ],
];
const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('words', '', null, [], {}));
const fields = fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 5 });
const part = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom(...types), fields).map(([type, rest]) => ({ ...rest, type })) },
  { weight: 1, arbitrary: value },
);
const message = fc
  .tuple(
    fc.constantFrom('user', 'assistant', 'system', 'tool', 'function', 'narrator'),
    fc.oneof(fc.array(part, { maxLength: 4 }), value),
    fc.dictionary(fc.constantFrom('tool_calls', 'function_call', 'audio', 'tool_call_id', 'reasoning'), value),
  )
  .map(([role, content, rest]) => ({ ...rest, role, content }));

const rules: HistoryRules = {
  setAsideType: 'test/set-aside',
  mergesAnswers: true,
  startsWithInstructions: true,
  needsCallIds: false,
  bindsThinking: true,
};
const eventsOf = (messages: readonly ReadMessage[]) => {
  const history = new HistoryReader({}, rules);
  messages.forEach((read, index) => history.read(read, `messages.${index}`));
  const events = history.end();
  // They were not checked, and are what a check would have made of them.
  for (const event of events) expect(parseEvent(event)).toStrictEqual(event);
  return events;
};

describe('any content', () => {
  test('is read, and makes events', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 4 }), (messages) => {
        for (const read of [readAnthropicMessage, readChatMessage, readResponsesItem]) {
          expect(eventsOf(messages.map(read)).every(({ id }) => id !== '')).toBe(true);
        }
      }),
      { seed: 20_261_123 },
    );
  });

  test('is read as items, and makes events', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), (items) => {
        expect(eventsOf(items.map(readResponsesItem)).every(({ id }) => id !== '')).toBe(true);
      }),
      { seed: 20_261_123 },
    );
  });

  test('leaves no part out but empty text', () => {
    fc.assert(
      fc.property(part, (some) => {
        expect(readAnthropicMessage({ role: 'user', content: [some] }).pieces).not.toEqual([]);
        const { pieces } = readChatMessage({ role: 'user', content: [some] });
        const isEmpty = some === '' || (some as { text?: unknown } | null)?.text === '';
        if (!isEmpty) expect(pieces).not.toEqual([]);
        expect(readResponsesItem(some).pieces.length > 0 || (some as { type?: unknown }).type === 'message').toBe(true);
      }),
      { seed: 20_261_123 },
    );
  });

  test('is no usage and no tool, or a sound one', () => {
    fc.assert(
      fc.property(part, (some) => {
        for (const usage of [anthropicUsage(some)?.usage, openaiUsage(some)?.usage]) {
          if (usage !== undefined) expect(Object.values(usage).every((count) => count >= 0)).toBe(true);
        }
        expect(readTool(some)?.name ?? 'none').not.toBe('');
      }),
      { seed: 20_261_123 },
    );
  });
});
