import {
  checkAnthropicRequest,
  checkChatCompletionsRequest,
  checkResponsesRequest,
} from '@palimpsest/provider-servers/rules';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listedTools } from './tool-list.js';
import { modelSchema, serverInput } from './tool-schema.js';

const ask = [{ role: 'user', content: 'Go.' }];

/** Returns what providers refuse of a tool. */
function refusals(name: string, description: string, schema: object): readonly unknown[] {
  const asFunction = { name, description, parameters: schema };
  return [
    ...checkAnthropicRequest({
      ...{ model: 'claude-sonnet-5', max_tokens: 100, messages: ask },
      tools: [{ name, description, input_schema: schema }],
    }),
    ...checkChatCompletionsRequest({
      model: 'gpt-4.1',
      messages: ask,
      tools: [{ type: 'function', function: asFunction }],
    }),
    ...checkResponsesRequest({
      ...{ model: 'gpt-5', store: false, input: ask },
      tools: [{ type: 'function', ...asFunction, strict: false }],
    }),
  ];
}

/**
 * Any character but half a surrogate pair. `unit: 'binary'` of fast-check is the same, with a map of all 1,112,064 characters that it
 * makes when the first text is asked for: nearly a second, and 80 MB that stay. With the way back, texts such as `__proto__` are tried.
 */
const anyCharacter = fc
  .nat(0x10_ff_ff)
  .filter((code) => code < 0xd8_00 || code > 0xdf_ff)
  .map(
    (code) => String.fromCodePoint(code),
    (text) => String(text).codePointAt(0) ?? Number.NaN,
  );

/** Words of schemas, so that what is generated means something. */
const keyword = fc.constantFrom(
  ...[
    'type',
    'properties',
    'required',
    'items',
    'anyOf',
    'oneOf',
    'allOf',
    'enum',
    'const',
    '$ref',
    '$defs',
    'description',
    'a b',
  ],
  ...['pattern', 'additionalProperties', 'default', 'minimum', '__proto__', 'format', 'patternProperties'],
);
const { schemaLike } = fc.letrec<{ schemaLike: unknown }>((tie) => ({
  schemaLike: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom<unknown>(
      'object',
      'string',
      'array',
      '#',
      '#/properties/type',
      true,
      null,
      7,
      ['string', 'null'],
      'half \ud800',
      '\u001b[2J',
      '(',
    ),
    fc.string({ unit: anyCharacter, maxLength: 80 }),
    fc.array(tie('schemaLike'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(keyword, fc.string({ unit: anyCharacter })), tie('schemaLike'), { maxKeys: 5 }),
  ),
}));

describe('any schema of a server becomes one', () => {
  test('that no provider refuses, within its size', () => {
    fc.assert(
      fc.property(
        schemaLike,
        fc.string({ unit: anyCharacter }),
        fc.string({ unit: anyCharacter }),
        (schema, name, description) => {
          const { tools } = listedTools('any', [{ name, description, inputSchema: schema }]);
          const [tool] = tools;
          expect(tool).toBeDefined();
          if (tool === undefined) return;
          const { inputSchema } = tool;
          expect(inputSchema).toMatchObject({ type: 'object', properties: {} });
          expect(JSON.stringify(inputSchema).length).toBeLessThanOrEqual(16_000);
          expect(refusals(tool.name, tool.description, inputSchema)).toEqual([]);
          // Made of what was made, it is the same.
          expect(modelSchema(inputSchema).inputSchema).toEqual(inputSchema);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('that keeps what a model needs', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      title: 'Arguments',
      properties: {
        path: { type: 'string', description: 'Where.', minLength: 1 },
        kind: { const: 'file' },
        at: { anyOf: [{ type: 'integer', minimum: 0 }, { type: 'null' }], default: null },
        lines: { type: 'array' },
        place: { allOf: [{ $ref: '#/$defs/point' }, { properties: { z: { type: 'number' } } }] },
      },
      required: ['path', 'gone'],
      additionalProperties: false,
      $defs: {
        point: { type: 'object', properties: { y: { type: 'number' }, x: { type: 'number' } }, required: ['x'] },
      },
    };
    expect(modelSchema(schema).inputSchema).toEqual({
      type: 'object',
      properties: {
        at: { anyOf: [{ type: 'integer', minimum: 0 }, { type: 'null' }], default: null },
        kind: { enum: ['file'] },
        lines: { type: 'array', items: {} },
        path: { type: 'string', description: 'Where.', minLength: 1 },
        place: {
          type: 'object',
          properties: { x: { type: 'number' }, y: { type: 'number' }, z: { type: 'number' } },
          required: ['x'],
        },
      },
      required: ['path'],
      additionalProperties: false,
    });
  });

  test('whose bytes do not depend on the order in which the server wrote it', () => {
    const [a, b] = [
      { type: 'object', properties: { a: {}, b: { enum: [1], type: 'integer' } } },
      { properties: { b: { type: 'integer', enum: [1] }, a: {} }, type: 'object' },
    ];
    expect(JSON.stringify(modelSchema(a))).toBe(JSON.stringify(modelSchema(b)));
  });

  test('with keys that a provider takes, which the server gets back as its own', () => {
    const { inputSchema, renamed } = modelSchema({
      properties: { 'bad key!': { type: 'object', properties: { ä: {} } } },
      required: ['bad key!'],
    });
    const [key = ''] = Object.keys(inputSchema['properties'] as object);
    expect(key).toMatch(/^bad_key__[0-9a-f]{8}$/);
    expect(inputSchema['required']).toEqual([key]);
    const inner = [...renamed.keys()].find((each) => each !== key) ?? '';
    expect(serverInput({ [key]: [{ [inner]: 1, other: 2 }] }, renamed)).toEqual({ 'bad key!': [{ ä: 1, other: 2 }] });
  });
});
