import { describe, expect, it } from 'vitest';
import { createEvent } from './create-event.js';
import { EventLog } from './event-log.js';
import { memoryEventStore } from './memory-event-store.js';
import type { AssistantMessage, ContentPart, Message, ToolCall } from './message.js';
import { parseEvent } from './parse-event.js';
import {
  wellFormedEvent,
  wellFormedJson,
  wellFormedMessage,
  wellFormedPart,
  wellFormedToolCall,
} from './well-formed.js';

const text = (words: string): ContentPart => ({ type: 'text', text: words });
const call = (fields: Partial<ToolCall>): ToolCall => ({ id: 'a', name: 'run', arguments: '{}', ...fields });
const assistant = (fields: Partial<AssistantMessage>): AssistantMessage => ({
  role: 'assistant',
  content: [],
  ...fields,
});

describe('wellFormedMessage', () => {
  it('gives a sound message back as it is, the same object', () => {
    const messages: readonly Message[] = [
      { role: 'system', content: [text('😀')] },
      { role: 'user', content: [text('a'.repeat(5_000)), { type: 'image', url: 'https://example.invalid/😀.png' }] },
      assistant({
        toolCalls: [call({ arguments: '{"a":"\\ud83d\\ude00"}' })],
        thinkingBlocks: [{ type: 'thinking', thinking: '😀', signature: 's' }],
        reasoningItems: [{ id: 'rs_1', summary: ['😀'], encryptedContent: 'x' }],
        reasoningContent: '😀',
      }),
      { role: 'tool', toolCallId: 'a', toolName: 'run', content: [text('😀')], isError: true },
    ];
    for (const message of messages) expect(wellFormedMessage(message)).toBe(message);
  });

  it('puts U+FFFD in the place of halves in texts and names, and leaves ids alone', () => {
    expect(wellFormedMessage({ role: 'user', content: [text('a\ud83d'), text('b')] })).toEqual({
      role: 'user',
      content: [text('a\ufffd'), text('b')],
    });
    const result = { role: 'tool', toolCallId: '\ud83d', toolName: 'r\ude00', content: [text('\ude00')] } as const;
    expect(wellFormedMessage(result)).toEqual({ ...result, toolName: 'r\ufffd', content: [text('\ufffd')] });
    expect(wellFormedMessage(assistant({ toolCalls: [call({ id: '\ud83d', name: '\ud83d' })] })).toolCalls).toEqual([
      call({ id: '\ud83d', name: '\ufffd' }),
    ]);
  });

  it('drops all signed thinking of a message where one block holds a half, and alters unsigned thinking', () => {
    const good = { type: 'thinking', thinking: 'good', signature: 's' } as const;
    const unsigned = { type: 'thinking', thinking: 'un\ud83d' } as const;
    const blocks = (...thinkingBlocks: NonNullable<AssistantMessage['thinkingBlocks']>) =>
      wellFormedMessage(assistant({ content: [text('Hm.')], thinkingBlocks })).thinkingBlocks;
    expect(blocks(good, { ...good, thinking: '\ud83d' })).toBeUndefined();
    expect(blocks(good, { ...good, signature: '\ud83d' })).toBeUndefined();
    expect(blocks({ type: 'redacted-thinking', data: '\ude00' }, good)).toBeUndefined();
    expect(blocks(good, unsigned)).toEqual([good, { ...unsigned, thinking: 'un\ufffd' }]);
  });

  it('drops reasoning items of a provider with halves, and alters plain reasoning', () => {
    const item = { id: 'rs_1', summary: ['good'], encryptedContent: 'x' };
    const found = (...reasoningItems: NonNullable<AssistantMessage['reasoningItems']>) =>
      wellFormedMessage(assistant({ reasoningItems, reasoningContent: 'a\ud83d' }));
    expect(found(item, { ...item, summary: ['\ud83d'] })).toEqual(assistant({ reasoningContent: 'a\ufffd' }));
    expect(found(item, { ...item, encryptedContent: '\ud83d' })).toEqual(assistant({ reasoningContent: 'a\ufffd' }));
    expect(found({ summary: ['\ud83d'] }).reasoningItems).toEqual([{ summary: ['\ufffd'] }]);
  });

  it('shows words in the place of an image whose address holds a half', () => {
    const part = wellFormedPart({ type: 'image', url: 'https://example.invalid/\ud83d.png' });
    expect(part).toEqual(text('(An image is not shown here: its address is not well-formed text.)'));
  });
});

it('reads a part again that its owner may have changed', () => {
  const part = { type: 'text' as const, text: `${'a'.repeat(5_000)}\ud83d` };
  expect(wellFormedPart(part)).toMatchObject({ text: `${'a'.repeat(5_000)}\ufffd` });
  part.text = `${'b'.repeat(5_000)}\ud83d`;
  expect(wellFormedPart(part)).toMatchObject({ text: `${'b'.repeat(5_000)}\ufffd` });
});

describe('the arguments of a call', () => {
  const sent = (text: string) => wellFormedToolCall(call({ arguments: text })).arguments;

  it.each([
    ['{"a":"\\ud83d"}', '{"a":"\\ufffd"}'],
    ['{"a":"\\uDE00"}', '{"a":"\\ufffd"}'],
    ['{"\\ud83d":1}', '{"\\ufffd":1}'],
    ['{"a":"\\ud83d\\ud83d\\ude00"}', '{"a":"\\ufffd\\ud83d\\ude00"}'],
    ['{"a":"\\\\\\ud83d"}', '{"a":"\\\\\\ufffd"}'],
    ['{"a":"\ud83d\\ude00"}', '{"a":"\ufffd\\ufffd"}'],
    ['{"a":"\\ud83d\ude00"}', '{"a":"\\ufffd\ufffd"}'],
    ['{"a":"\ud83d"}', '{"a":"\ufffd"}'],
    ['{"broken": "\\ud83d', '{"broken": "\\ufffd'],
  ])('%j is sent as %j', (given, expected) => {
    expect(sent(given)).toBe(expected);
    expect(expected.isWellFormed()).toBe(true);
  });

  it.each([
    '{"a":"\\ud83d\\ude00"}',
    '{"a":"\\\\ud83d"}',
    '{ "n": 12345678901234567890, "a": 1, "a": "\\u00e9" }',
    '{"a":"😀"}',
    'not JSON \\u',
  ])('%j stays to the byte', (given) => expect(sent(given)).toBe(given));

  it('keeps what stands beside a half to the byte', () => {
    expect(sent('{ "n": 12345678901234567890, "a": "\\ud83d" }')).toBe('{ "n": 12345678901234567890, "a": "\\ufffd" }');
  });

  it('drops signatures with halves, and keeps others', () => {
    const opaque = { itemId: 'fc_1', thoughtSignature: 's' };
    expect(wellFormedToolCall(call({ ...opaque, thoughtSignature: '\ud83d' }))).toEqual(call({ itemId: 'fc_1' }));
    expect(wellFormedToolCall(call({ ...opaque, itemId: '\ud83d' }))).toEqual(call({ thoughtSignature: 's' }));
    expect(wellFormedToolCall(call({ ...opaque, name: '\ud83d' }))).toEqual(call({ ...opaque, name: '\ufffd' }));
  });
});

const half = 'a \ud83d';
const image = { type: 'image', url: `https://example.invalid/${half}` } as const;
const action = createEvent('action', {
  thought: [{ type: 'text', text: half }, image],
  toolCall: { id: half, name: half, arguments: `{"a":"${half}","b":"\\ud83d"}`, thoughtSignature: half },
  llmResponseId: 'r',
  thinkingBlocks: [{ type: 'thinking', thinking: half, signature: 's' }],
  reasoningContent: half,
});

it('gives a sound event back as it is, the same object', () => {
  const event = createEvent('message', { source: 'user', role: 'user', content: [{ type: 'text', text: '😀' }] });
  expect(wellFormedEvent(event)).toBe(event);
});

it('makes texts and keys well-formed, and drops what is signed', () => {
  const written = wellFormedEvent(action);
  expect(wellFormedJson(written)).toBe(written);
  expect(parseEvent(written)).toEqual(written);
  expect(written).toMatchObject({
    id: action.id,
    thought: [{ text: 'a \ufffd' }, { type: 'text', text: expect.stringContaining('not shown') as string }],
    // An escape is well-formed text: it is the model's, and what is sent of it is made when it is rendered.
    toolCall: { id: 'a \ufffd', name: 'a \ufffd', arguments: '{"a":"a \ufffd","b":"\\ud83d"}' },
    reasoningContent: 'a \ufffd',
  });
  expect('thinkingBlocks' in written || 'thoughtSignature' in written.toolCall).toBe(false);
});

it('keeps signed thinking that is sound beside words that are not', () => {
  const thinkingBlocks = [{ type: 'thinking', thinking: '😀', signature: 's' }] as const;
  const event = createEvent('message', {
    source: 'agent',
    role: 'assistant',
    content: [{ type: 'text', text: half }],
    thinkingBlocks,
  });
  expect(wellFormedEvent(event)).toMatchObject({ content: [{ text: 'a \ufffd' }], thinkingBlocks });
});

it('reaches into events of any type', () => {
  const custom = createEvent('acme/note', { source: 'environment', [`key ${half}`]: [{ deep: half }] });
  expect(wellFormedEvent(custom)).toMatchObject({ 'key a \ufffd': [{ deep: 'a \ufffd' }] });
  const observation = createEvent('observation', {
    toolCallId: 'c',
    toolName: 'run',
    content: [image],
    details: { [half]: half },
  });
  expect(wellFormedEvent(observation)).toMatchObject({
    content: [{ type: 'text' }],
    details: { 'a \ufffd': 'a \ufffd' },
  });
});

it('is no affair of the log, which alters nothing', async () => {
  const store = memoryEventStore();
  const log = new EventLog('c', { store });
  await log.append(action);
  expect(log.at(0)).toEqual(action);
  expect((await EventLog.open('c', { store })).at(0)).toEqual(action);
});

it('gives data back that is well-formed, the same object', () => {
  const data = { text: 'a 😀', list: [{ deep: [1, null, true, 'ü'] }], nothing: null };
  expect(wellFormedJson(data)).toBe(data);
  expect(wellFormedJson('😀')).toBe('😀');
  expect(wellFormedJson(7)).toBe(7);
});

it('puts U+FFFD in the place of halves, in texts and keys, however deep', () => {
  const sound = { kept: ['ok'] };
  const data = { sound, list: ['a\ud83d', { 'k\ude00': { deep: '\ud83d' } }] };
  const found = wellFormedJson(data);
  expect(found).toEqual({ sound, list: ['a\ufffd', { 'k\ufffd': { deep: '\ufffd' } }] });
  expect(found.sound).toBe(sound);
  expect(data.list[0]).toBe('a\ud83d');
});

it('loses no value where keys become equal', () => {
  const found = wellFormedJson({ '\ud83d': 1, '\ufffd': 2, '\ude00': 3 });
  expect(found).toEqual({ '\ufffd': 2, '\ufffd\ufffd': 1, '\ufffd\ufffd\ufffd': 3 });
});

it('keeps a key named __proto__ a key', () => {
  const data = JSON.parse('{"__proto__":{"a":"\\ud83d"}}') as object;
  const found = wellFormedJson(data);
  expect(Object.keys(found)).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(found)).toBe(Object.prototype);
  expect(JSON.stringify(found)).toBe('{"__proto__":{"a":"\ufffd"}}');
});
