import { createEvent, defineTool, parseEvent } from '@palimpsest/events';
import type { Event, ThinkingBlock } from '@palimpsest/events';
import { inspect } from 'node:util';
import { z } from 'zod';
import { describe, expect, test } from 'vitest';
import { maskedTool, secretMask } from './mask.js';

const value = 'hunter2-hunter2';

const base = { toolName: 'run', toolCallId: 'c1', actionId: 'a1' } as const;
const call = { id: 'c1', name: 'run', arguments: JSON.stringify({ command: `curl -H "x: ${value}"`, [value]: 1 }) };
const text = { type: 'text', text: `It is ${value}.` } as const;
const events: readonly Event[] = [
  createEvent('system-prompt', {
    systemPrompt: value,
    dynamicContext: value,
    tools: [
      {
        name: 'run',
        description: `uses ${value}`,
        inputSchema: { type: 'object', properties: { a: { type: 'string', description: value } } },
      },
    ],
  }),
  createEvent('message', {
    source: 'user',
    role: 'user',
    content: [text, { type: 'image', url: `https://a.test/?t=${value}` }],
    extendedContent: [text],
  }),
  createEvent('message', { source: 'agent', role: 'assistant', content: [text], reasoningContent: value }),
  createEvent('action', { thought: [text], toolCall: call, llmResponseId: 'r1', summary: value }),
  createEvent('action', { thought: [text], toolCall: { ...call, arguments: `{"a": ${value}` }, llmResponseId: 'r1' }),
  createEvent('observation', {
    ...base,
    content: [text],
    extendedContent: [text],
    details: { env: { [value]: [value] } },
  }),
  createEvent('user-reject-observation', { ...base, rejectionReason: value }),
  createEvent('agent-error', { ...base, error: value }),
  createEvent('condensation', {
    forgottenEventIds: ['e1'],
    redactions: [{ eventId: 'e1', text: value, arguments: value }],
    summary: value,
    summaryOffset: 0,
    metadata: { covered: [value] },
  }),
  createEvent('condensation-request', { reason: value }),
  createEvent('condensation-attempt', { condenser: 'x', outcome: 'failed', reason: value, data: { prompt: value } }),
  createEvent('conversation-state-update', { key: 'k', value: { note: value } }),
  createEvent('conversation-error', { code: 'x', detail: value }),
  createEvent('acme/note', { source: 'environment', words: [value], [value]: value }),
];

describe('every event', () => {
  const hide = secretMask({ PASSWORD: value });

  test.each(events.map((event) => [event.type, event] as const))('%s is masked and still valid', (_, event) => {
    const before = JSON.stringify(event);
    const result = hide(event);
    expect(JSON.stringify(result)).not.toContain(value);
    expect(JSON.stringify(result)).toContain('[secret PASSWORD]');
    expect(parseEvent(JSON.parse(JSON.stringify(result)))).toEqual(result);
    expect({ id: result.id, type: result.type, timestamp: result.timestamp }).toEqual({
      id: event.id,
      type: event.type,
      timestamp: event.timestamp,
    });
    expect(JSON.stringify(event)).toBe(before);
    expect(hide(result)).toBe(result);
  });

  test('arguments that parsed still do', () => {
    const [, , , action] = events.map(hide);
    expect(action?.type === 'action' && JSON.parse(action.toolCall.arguments)).toEqual({
      command: 'curl -H "x: [secret PASSWORD]"',
      '[secret PASSWORD]': 1,
    });
  });

  test('a value in the items of a list is hidden too, whether they are its parts or its bytes', () => {
    expect(hide.data({ lines: ['a hunter2-', 'hunter2'] })).toEqual({ lines: ['a [secret PASSWORD]', ''] });
    expect(hide.data({ file: Buffer.from(value).toJSON(), size: [15, 1] })).toEqual({
      file: { type: 'Buffer', data: ['[secret PASSWORD]'] },
      size: [15, 1],
    });
  });

  test('a number is hidden too', () => {
    const pin = secretMask({ PIN: '123456789' });
    const long = secretMask({ CARD: '12345678901234567890' });
    expect(pin.data({ pin: 123456789, other: 1 })).toEqual({ pin: '[secret PIN]', other: 1 });
    const action = createEvent('action', {
      thought: [],
      toolCall: { ...call, arguments: '{"n":12345678901234567890}' },
      llmResponseId: 'r1',
    });
    expect(JSON.stringify(long(action))).not.toContain('12345678901234567890');
  });

  test('signed thinking goes whole, since what is left of it would be refused', () => {
    const blocks = [
      { type: 'thinking', thinking: 'ok', signature: 's' },
      { type: 'thinking', thinking: value, signature: 's' },
      { type: 'thinking', thinking: 'fine', signature: 's' },
    ] as const;
    const message = (...thinkingBlocks: readonly ThinkingBlock[]) =>
      createEvent('message', { source: 'agent', role: 'assistant', content: [], thinkingBlocks: [...thinkingBlocks] });
    expect(hide(message(...blocks)).thinkingBlocks).toEqual([]);
    expect(hide(message(blocks[0], blocks[2])).thinkingBlocks).toEqual([blocks[0], blocks[2]]);
  });

  test.each([
    'message',
    'content',
    'arguments',
    'thought',
    'forgottenEventIds',
    'observation',
    'assistant',
    'system-prompt',
    'description',
    'object',
    'command',
  ])('a value that is the word %s breaks no event', (word) => {
    for (const event of events)
      expect(() => parseEvent(JSON.parse(JSON.stringify(secretMask({ W: word })(event))))).not.toThrow();
  });
});

test('a tool’s answer is masked before anybody sees it, and the tool gets the words of its input as they are', async () => {
  const inputs: unknown[] = [];
  const tool = defineTool({
    name: 'echo',
    description: 'Echoes.',
    input: z.object({ word: z.string() }),
    execute: (input) => {
      inputs.push(input);
      return input.word === 'text' ? value : { content: [text], details: { value } };
    },
  });
  const masked = maskedTool(secretMask({ PASSWORD: value }), tool);
  const context = { signal: new AbortController().signal } as Parameters<typeof tool.execute>[1];
  expect(await masked.execute({ word: 'text' }, context)).toBe('[secret PASSWORD]');
  expect(await masked.execute({ word: value }, context)).toEqual({
    content: [{ type: 'text', text: 'It is [secret PASSWORD].' }],
    details: { value: '[secret PASSWORD]' },
  });
  expect(inputs).toEqual([{ word: 'text' }, { word: value }]);
  expect({ ...masked, execute: 0 }).toEqual({ ...tool, execute: 0 });
});

test('a tool’s failure and what it appends are masked as well', async () => {
  const appended: Event[] = [];
  const failing = (error: unknown) =>
    maskedTool(
      secretMask({ PASSWORD: value }),
      defineTool({
        name: 'fail',
        description: 'Fails.',
        input: z.object({}),
        execute: async (_, { append }) => {
          await append(createEvent('acme/note', { source: 'environment', text: value }));
          throw error;
        },
      }),
    );
  const context = {
    signal: new AbortController().signal,
    append: async (event: Event) => void appended.push(event),
  } as unknown as Parameters<ReturnType<typeof failing>['execute']>[1];
  const thrownBy = async (error: unknown) =>
    (async () => failing(error).execute({}, context))().catch((thrown: unknown) => thrown);

  const thrown = await thrownBy(new RangeError(`bad key ${value}`, { cause: value }));
  expect(thrown).toMatchObject({ name: 'RangeError', message: 'bad key [secret PASSWORD]' });
  expect(inspect(thrown, { depth: 9, showHidden: true })).not.toContain(value);
  const harmless = new Error('no network');
  expect(await thrownBy(harmless)).toBe(harmless);
  expect(await thrownBy(value)).toBe('[secret PASSWORD]');
  expect(appended).toHaveLength(3);
  expect(JSON.stringify(appended)).not.toContain(value);
});
