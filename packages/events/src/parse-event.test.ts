import fc from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { fr } from 'zod/locales';
import * as mini from 'zod/mini';
import { anyCharacter } from '../test-support/any-character.js';
import { InvalidEventError } from './errors.js';
import { eventBaseSchema } from './event-base.js';
import { eventSchemas } from './event.js';
import { adoptEvent, errorTexts, parseEvent, quickCheck } from './parse-event.js';
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
    ['no source', { ...message, source: undefined }, ['source']],
    ['an empty source', { ...message, source: '' }, ['source']],
    ['a source that is no text', { ...message, source: 7 }, ['source']],
    ['an empty role', { ...message, role: '' }, ['role']],
    ['a role that is no text', { ...message, role: ['user'] }, ['role']],
    ['content that is text', { ...message, content: 'hi' }, ['content']],
    ['a part that is text', { ...message, content: ['hi'] }, ['content', 0]],
    ['a part without a type', { ...message, content: [{ text: 'hi' }] }, ['content', 0, 'type']],
    ['a part of an empty type', { ...message, content: [{ type: '' }] }, ['content', 0, 'type']],
    ['a part whose type is no text', { ...message, content: [{ type: 'audio' }, { type: 7 }] }, ['content', 1, 'type']],
    ['a part without text', { ...message, content: [{ type: 'text' }] }, ['content', 0, 'text']],
    ['a part whose text is none', { ...message, content: [{ type: 'text', text: 7 }] }, ['content', 0, 'text']],
    ['an image without an address', { ...message, content: [{ type: 'image', url: '' }] }, ['content', 0, 'url']],
    [
      'text of a skill that is none',
      { ...message, extendedContent: [{ type: 'text', text: null }] },
      ['extendedContent', 0, 'text'],
    ],
    [
      'a block without its thinking',
      { ...action, thinkingBlocks: [{ type: 'audio-thinking' }, { type: 'thinking', signature: 's' }] },
      ['thinkingBlocks', 1, 'thinking'],
    ],
    ['a block without a type', { ...action, thinkingBlocks: [{ thinking: 't' }] }, ['thinkingBlocks', 0, 'type']],
    ['a null', { ...message, llmResponseId: null }, ['llmResponseId']],
    ['a call without a name', { ...action, toolCall: { id: 'c', arguments: '' } }, ['toolCall', 'name']],
    ['parsed arguments', { ...action, toolCall: { ...action.toolCall, arguments: {} } }, ['toolCall', 'arguments']],
    ['a risk that is no text', { ...action, securityRisk: 3 }, ['securityRisk']],
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

  test('kinds that this version does not know, wherever one may stand', () => {
    const kinds: object[] = [
      { ...message, source: 'hook' },
      { ...message, role: 'critic' },
      {
        ...message,
        content: [
          { type: 'text', text: 'hi' },
          { type: 'audio', data: [{ b: 1, a: null }] },
        ],
      },
      { ...message, extendedContent: [{ type: 'constructor' }, { type: 'image', url: 'u', detail: 'low' }] },
      { ...action, thought: [{ type: 'acme/sketch', strokes: [] }] },
      { ...action, thinkingBlocks: [{ type: 'sealed-thinking', position: 'first' }] },
      { ...action, securityRisk: 'critical', toolCall: { ...action.toolCall, kind: 'server' } },
      {
        ...base,
        type: 'user-reject-observation',
        toolName: 't',
        toolCallId: 'c',
        rejectionReason: 'no',
        rejectionSource: 'policy',
      },
      { ...base, type: 'condensation-attempt', condenser: 'c', outcome: 'deferred', reason: 'r', stage: { of: 2 } },
    ];
    for (const json of kinds) {
      const text = JSON.stringify(json);
      expect(JSON.stringify(parseEvent(json))).toBe(text);
      expect(JSON.stringify(adoptEvent(JSON.parse(text)))).toBe(text);
    }
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

const kind = (...known: readonly string[]) => fc.oneof(fc.constantFrom(...known), fc.string({ minLength: 1 }));
const extra = fc.dictionary(
  fc.string().map((name) => `new ${name}`),
  fc.jsonValue({ maxDepth: 2 }),
  { maxKeys: 2 },
);
/** Fields of a kind's own, beside any that a newer version adds. */
const withExtra = (known: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.tuple(extra, fc.record(known)).map(([more, own]) => ({ ...more, ...own }));
const part = fc.oneof(
  withExtra({ type: fc.constant('text'), text: fc.string() }),
  withExtra({ type: fc.constant('image'), url: fc.constant('data:,') }),
  withExtra({ type: kind('audio').filter((type) => type !== 'text' && type !== 'image') }),
);
const block = fc.oneof(
  withExtra({ type: fc.constant('thinking'), thinking: fc.string(), position: fc.nat() }),
  withExtra({ type: kind('sealed').filter((type) => type !== 'thinking' && type !== 'redacted-thinking') }),
);
const knownTypes = fc.oneof(
  withExtra({
    type: fc.constant('message'),
    role: kind('user', 'assistant', 'critic'),
    content: fc.array(part),
    extendedContent: fc.array(part),
    thinkingBlocks: fc.array(block),
  }),
  withExtra({
    type: fc.constant('action'),
    thought: fc.array(part),
    toolCall: withExtra({ id: fc.constant('c'), name: fc.constant('n'), arguments: fc.string() }),
    llmResponseId: fc.constant('r'),
    securityRisk: kind('high', 'critical'),
  }),
  withExtra({
    type: fc.constant('observation'),
    toolName: fc.constant('n'),
    toolCallId: fc.constant('c'),
    content: fc.array(part),
  }),
);

test('what a newer version writes is read, and written back byte by byte, at every level', () => {
  fc.assert(
    fc.property(knownTypes, kind('user', 'hook'), (fields, source) => {
      const text = JSON.stringify({ id: 'e', timestamp: 't', source, ...fields });
      expect(JSON.stringify(adoptEvent(JSON.parse(text)))).toBe(text);
      expect(JSON.stringify(parseEvent(JSON.parse(text)))).toBe(text);
    }),
    { seed: 20_261_121 },
  );
});

const events = fc.record(
  {
    type: fc.oneof(fc.constantFrom('acme/note', 'pause', 'tomorrow'), fc.string({ minLength: 1, unit: anyCharacter })),
    id: fc.string({ minLength: 1, unit: anyCharacter }),
    timestamp: fc.string({ minLength: 1 }),
    source: fc.constantFrom('user', 'agent', 'environment', 'hook'),
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

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const anyJson = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>;

/** Data that fits a schema of an event. */
function fitting(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'string':
      // Names that this version does not know, and by chance those that it does.
      return fc.oneof(fc.constantFrom('hook', 'text', 'thinking'), fc.string({ maxLength: 4 }));
    case 'number':
      return fc.nat(1_000);
    case 'boolean':
      return fc.boolean();
    case 'unknown':
      return anyJson;
    case 'literal':
      return fc.constantFrom(...def.values);
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries));
    case 'array':
      return fc.array(fitting(def.element), { maxLength: 3 });
    case 'record':
      return fc.dictionary(fc.string({ maxLength: 3 }), fitting(def.valueType), { maxKeys: 3 });
    case 'union':
      return fc.oneof(...def.options.map(fitting));
    case 'object': {
      const keys = Object.keys(def.shape);
      const requiredKeys = keys.filter((key) => def.shape[key]?._zod.optin !== 'optional');
      const fields = keys.map((key) => [key, fitting(def.shape[key] as z.core.$ZodType)] as const);
      return fc.record(Object.fromEntries(fields), { requiredKeys });
    }
    case 'optional':
      return fitting(def.innerType);
    default:
      throw new Error(`no event has a ${def.type}`);
  }
}

/** The value with one thing in it changed, taken away or added, wherever the numbers point. */
function damaged(value: Json, path: readonly number[], change: { put: Json } | 'delete' | 'add'): Json {
  const [step, ...rest] = path;
  if (typeof value !== 'object' || value === null || step === undefined) {
    return typeof change === 'object' ? change.put : value;
  }
  const keys = Object.keys(value);
  const key = keys[step % Math.max(keys.length, 1)];
  if (key === undefined) return typeof change === 'object' ? change.put : value;
  if (Array.isArray(value)) {
    if (change === 'delete' && rest.length === 0) return value.filter((_, index) => String(index) !== key);
    return value.map((item, index) => (String(index) === key ? damaged(item, rest, change) : item));
  }
  const copy = { ...value };
  if (change === 'add' && rest.length === 0) copy['addition'] = 1;
  else if (change === 'delete' && rest.length === 0) delete copy[key];
  else copy[key] = damaged(value[key] as Json, rest, change);
  return copy;
}

test('says what the schema says, of events whole and damaged, of every type', () => {
  const schemas = [...eventSchemas.values(), eventBaseSchema];
  const counts = { fits: 0, fitsNot: 0 };
  for (const schema of schemas) {
    const check = quickCheck(schema);
    const changes = fc.oneof(fc.constantFrom('delete' as const, 'add' as const), fc.record({ put: anyJson }));
    const damages = fc.array(fc.tuple(fc.array(fc.nat(20), { minLength: 1, maxLength: 4 }), changes), { maxLength: 2 });
    fc.assert(
      fc.property(fitting(schema), damages, (whole, list) => {
        const value = list.reduce((json, [path, change]) => damaged(json, path, change), plain(whole));
        const expected = schema.safeParse(value).success;
        counts[expected ? 'fits' : 'fitsNot']++;
        expect(check(value)).toBe(expected);
      }),
      { seed: 20_261_121, numRuns: 150 },
    );
  }
  expect(Math.min(counts.fits, counts.fitsNot)).toBeGreaterThan(400);
});

test.each([
  [z.string().min(2).max(3), ['ab', 'a', 'abcd']],
  [z.string().regex(/^a/).min(2), ['a', 'b', 'ab', 'bb', 7]],
  [z.string().regex(/a/g), ['a', 'a', 'b', 'a']],
  [z.string().email(), ['a@b.example', 'a']],
  [z.union([z.union([z.literal('a'), z.literal('b')]), z.number()]), ['a', 'b', 'c', 1]],
  [z.literal(['a', 'b']), ['a', 'c']],
  [z.record(z.string().min(2), z.unknown()), [{ ab: 1 }, { a: 1 }, []]],
  [z.record(z.string(), z.number()), [{ a: 1 }, { a: 'b' }]],
  [z.number().max(3), [3, 4, 'a']],
  [z.tuple([z.string()]), [['a'], [1]]],
  [z.array(z.string()).max(1), [['a'], ['a', 'b']]],
])('other schemas: what it does not know is left to them', (schema, values) => {
  for (const value of values) expect(quickCheck(schema)(value)).toBe(schema.safeParse(value).success);
});

function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

const noId = { type: 'message', timestamp: '2026-11-22T12:00:00.000Z', source: 'user', role: 'user', content: [] };

beforeEach(() => {
  // Another test of this process may have loaded zod's texts.
  const { localeError } = mini.config();
  mini.config({ localeError: undefined });
  onTestFinished(() => void mini.config({ localeError }));
});

test('errors are told in English where the program has chosen nothing', () => {
  expect(mini.config().localeError).toBeUndefined();
  expect(mini.string().safeParse(1).error?.issues[0]?.message).toBe('Invalid input');
  expect(mini.string().safeParse(1, errorTexts()).error?.issues[0]?.message).toBe(
    'Invalid input: expected string, received number',
  );
  expect(() => parseEvent(noId)).toThrow('Invalid input: expected string, received undefined');
});

test('errors are told in the language that the program has chosen', () => {
  mini.config(fr());

  expect(() => parseEvent(noId)).toThrow('Entrée invalide : chaîne de caractères attendu, indéfini reçu');
});
