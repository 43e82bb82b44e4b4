import { expect, it } from 'vitest';
import { createEvent } from './create-event.js';
import { EventLog } from './event-log.js';
import { memoryEventStore } from './memory-event-store.js';
import { parseEvent } from './parse-event.js';
import { wellFormedEvent } from './well-formed-event.js';
import { wellFormedJson } from './well-formed-json.js';

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
