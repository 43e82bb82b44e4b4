import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidEventError } from './errors.js';
import { adoptEvent, parseEvent } from './parse-event.js';
import { logBuilder } from './testing/index.js';

const base = { id: 'e', timestamp: '2026-01-01T00:00:00Z', source: 'agent' };
const message = { ...base, type: 'message', role: 'user', content: [{ type: 'text', text: 'hi' }] };
const action = {
  ...base,
  type: 'action',
  thought: [],
  toolCall: { id: 'c', name: 'run', arguments: '{}' },
  llmResponseId: 'r',
};

function failure(json: unknown, parse = parseEvent): InvalidEventError {
  try {
    parse(json);
  } catch (error) {
    if (InvalidEventError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('it was taken for an event');
}

describe('what is wrong is named by its path, with the event', () => {
  test.each<[string, unknown, (string | number)[]]>([
    ['no id', { ...message, id: undefined }, ['id']],
    ['an empty id', { ...message, id: '' }, ['id']],
    ['no timestamp', { ...message, timestamp: undefined }, ['timestamp']],
    ['an unknown source', { ...message, source: 'model' }, ['source']],
    ['an unknown role', { ...message, role: 'system' }, ['role']],
    ['content that is text', { ...message, content: 'hi' }, ['content']],
    [
      'an unknown part',
      { ...message, content: [{ type: 'text', text: '' }, { type: 'audio' }] },
      ['content', 1, 'type'],
    ],
    ['a part without text', { ...message, content: [{ type: 'text' }] }, ['content', 0, 'text']],
    ['a null', { ...message, llmResponseId: null }, ['llmResponseId']],
    ['a call without a name', { ...action, toolCall: { id: 'c', arguments: '' } }, ['toolCall', 'name']],
    ['parsed arguments', { ...action, toolCall: { ...action.toolCall, arguments: {} } }, ['toolCall', 'arguments']],
    ['an unknown risk', { ...action, securityRisk: 'huge' }, ['securityRisk']],
    ['an id that is no text', { ...base, type: 'condensation', forgottenEventIds: ['a', 1] }, ['forgottenEventIds', 1]],
    ['half an offset', { ...base, type: 'condensation', forgottenEventIds: [], summaryOffset: 0.5 }, ['summaryOffset']],
    ['a custom event without a source', { ...base, type: 'acme/note', source: undefined }, ['source']],
    ['an unknown event without an id', { ...base, type: 'tomorrow', id: 7 }, ['id']],
  ])('%s', (_, json, path) => {
    const error = failure(json);
    expect(error.path).toEqual(path);
    expect(error.message).toContain(`'${path.join('.')}'`);
    expect(error.eventType).toBe((json as { type: string }).type);
    if (path[0] !== 'id') expect(error.message).toContain("id 'e'");
    // The same for a value that comes straight from JSON.
    expect(failure(JSON.parse(JSON.stringify(json)), adoptEvent).path).toEqual(path);
  });

  test.each([undefined, null, 7, 'text', true, [], [message]])('%j is no event at all', (json) => {
    expect(failure(json)).toMatchObject({ code: 'invalid-event', eventId: undefined, eventType: undefined });
  });
});

describe('what JSON cannot say is refused, and named by its path', () => {
  test.each<[string, unknown, string]>([
    ['a function', () => 1, 'function'],
    ['a symbol', Symbol('s'), 'symbol'],
    ['a bigint', 1n, 'bigint'],
    ['NaN', Number.NaN, 'NaN'],
    ['Infinity', -Infinity, '-Infinity'],
    ['a Date', new Date(0), 'Date'],
    ['a Map', new Map(), 'Map'],
    ['an object of a class', new (class Note {})(), 'Note'],
    ['an object that inherits', Object.create({ inherited: 1 }), 'prototype'],
    [
      'an object that inherits from nothing that has a name',
      Object.create(Object.create(Object.create(null))),
      'prototype',
    ],
  ])('%s', (_, value, name) => {
    const error = failure({ ...base, type: 'acme/note', deep: [{ value }] });
    expect(error.path).toEqual(['deep', 0, 'value']);
    expect(error.message).toContain(name);
  });

  test('undefined in a list, and a hole in one', () => {
    expect(failure({ ...base, type: 'acme/note', list: [1, undefined] }).path).toEqual(['list', 1]);
    expect(failure({ ...base, type: 'acme/note', list: [1, , 2] }).path).toEqual(['list', 1]);
  });

  test('a cycle, and nesting without end', () => {
    const cycle: Record<string, unknown> = { ...base, type: 'acme/note' };
    cycle['again'] = { list: [cycle] };
    expect(failure(cycle).message).toContain('cycle');
    const deep = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as unknown;
    expect(failure({ ...base, type: 'acme/note', deep }).message).toContain('deeper than 500');
    expect(failure({ ...base, type: 'acme/note', deep }, adoptEvent).message).toContain('deeper than 500');
  });
});

describe('everything else stays as it is', () => {
  test('fields that this version does not know, at every depth, in the order in which they came', () => {
    const json = { sinceTomorrow: { a: [1] }, ...message, content: [{ type: 'text', text: 'hi', annotations: [{}] }] };
    expect(JSON.stringify(parseEvent(json))).toBe(JSON.stringify(json));
  });

  test('types that this version does not know, and custom ones', () => {
    for (const type of ['tomorrow', 'acme/note', 'constructor', '__proto__']) {
      expect(parseEvent({ ...base, type, anything: null })).toEqual({ ...base, type, anything: null });
    }
  });

  test('a key that is named __proto__ is data, and changes no prototype', () => {
    const json = JSON.parse(
      `{"__proto__":{"polluted":true},"id":"e","timestamp":"t","source":"user","type":"acme/note"}`,
    );
    for (const event of [parseEvent(json), adoptEvent(json)]) {
      expect(Object.getPrototypeOf(event)).toBe(Object.prototype);
      expect(JSON.stringify(event)).toBe(JSON.stringify(json));
      expect((event as { polluted?: unknown }).polluted).toBeUndefined();
    }
  });

  test('properties that are undefined are left out, as JSON would', () => {
    const event = parseEvent({ ...message, llmResponseId: undefined });
    expect(Object.keys(event)).not.toContain('llmResponseId');
  });

  test('plain objects of another realm, and ones without a prototype', () => {
    const bare = Object.assign(Object.create(null) as object, { a: 1 });
    expect(parseEvent({ ...base, type: 'acme/note', bare })).toEqual({ ...base, type: 'acme/note', bare: { a: 1 } });
  });
});

test('an event is frozen however deep; the value that it came from is not, and may change', () => {
  const json = structuredClone(message) as { content: { text: string }[] };
  const event = parseEvent(json) as unknown as typeof json;
  expect([event, event.content, event.content[0]].every(Object.isFrozen)).toBe(true);
  expect([json, json.content, json.content[0]].some(Object.isFrozen)).toBe(false);
  (json.content[0] as { text: string }).text = 'changed';
  expect(event).toEqual(message);
});

test('an adopted event is the very value, frozen', () => {
  const json = JSON.parse(JSON.stringify(message)) as { content: object[] };
  expect(adoptEvent(json)).toBe(json);
  expect([json, json.content, json.content[0]].every(Object.isFrozen)).toBe(true);
});

const events = fc.record(
  {
    type: fc.oneof(fc.constantFrom('acme/note', 'pause', 'tomorrow'), fc.string({ minLength: 1, unit: 'binary' })),
    id: fc.string({ minLength: 1, unit: 'binary' }),
    timestamp: fc.string({ minLength: 1 }),
    source: fc.constantFrom('user', 'agent', 'environment'),
    data: fc.jsonValue({ depthSize: 'medium' }),
    more: fc.dictionary(fc.string(), fc.jsonValue()),
  },
  { requiredKeys: ['type', 'id', 'timestamp', 'source'] },
);

test('parse, write and parse again is the same, for any event', () => {
  const typical = logBuilder();
  typical.system('s');
  typical.user('u');
  typical.batch([{ name: 'a', result: 'r' }, { name: 'b' }], { thinkingBlocks: [{ type: 'thinking', thinking: 't' }] });
  typical.condensation(['event-1'], { summary: 's', summaryOffset: 0, metadata: { a: [null] } });
  typical.usage();
  for (const event of typical.events) expect(adoptEvent(JSON.parse(JSON.stringify(event)))).toStrictEqual(event);

  const known = new Set(['message', 'action', 'observation']);
  fc.assert(
    fc.property(events, (json) => {
      fc.pre(!known.has(json.type));
      const event = parseEvent(json);
      const text = JSON.stringify(event);
      expect(JSON.stringify(adoptEvent(JSON.parse(text)))).toBe(text);
      expect(parseEvent(JSON.parse(text))).toStrictEqual(event);
      expect(parseEvent(event)).toStrictEqual(event);
    }),
    { seed: 20_261_121 },
  );
});
