import { describe, expect, it } from 'vitest';
import { toMessagesRequest } from './request.js';
import { enforceableSchema } from './structured-output.js';

const text = { type: 'string' };
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
/** As zod writes records. */
const record = { type: 'object', propertyNames: text, additionalProperties: { type: 'number' } };
const closed = (properties: object, more: object = {}) => object(properties, { ...more, additionalProperties: false });

describe('enforceableSchema', () => {
  it('says of every object that it has no other fields', () => {
    const open = object({ a: { type: 'array', items: object({ b: text }) } }, { $defs: { c: object({}) } });
    expect(enforceableSchema(open)).toEqual(
      closed({ a: { type: 'array', items: closed({ b: text }) } }, { $defs: { c: closed({}) } }),
    );
  });

  it('puts what the provider does not enforce into words', () => {
    const schema = closed(
      {
        name: { ...text, minLength: 2, description: 'A name.' },
        count: { type: 'integer', minimum: 1, maximum: 9 },
        when: { ...text, format: 'email', pattern: '.+' },
      },
      { $schema: 'https://json-schema.org/draft/2020-12/schema', required: ['name', 'count'] },
    );
    expect(enforceableSchema(schema)).toMatchObject({
      properties: {
        name: { type: 'string', description: 'A name. (minLength: 2)' },
        count: { type: 'integer', description: '(minimum: 1, maximum: 9)' },
        when: { type: 'string', format: 'email', description: '(pattern: ".+")' },
      },
      required: ['name', 'count'],
    });
  });

  it('keeps choices, literals and references', () => {
    const schema = closed(
      { a: { oneOf: [text, { type: 'null' }] }, b: { enum: ['x', 1] }, c: { $ref: '#/$defs/d' } },
      { $defs: { d: text }, required: ['a'] },
    );
    const { a: _, ...rest } = schema.properties as Record<string, unknown>;
    expect(enforceableSchema(schema)).toEqual({
      ...schema,
      properties: { a: { anyOf: [text, { type: 'null' }] }, ...rest },
    });
  });

  it.each([
    ['a record', closed({ counts: record })],
    ['a part that may be anything', closed({ a: {} })],
    ['a part that contains the whole', closed({ a: { $ref: '#' } })],
    ['an object of any fields', closed({ a: { type: 'object' } })],
    ['what must not be', closed({ a: { type: 'string', not: { const: 'x' } } })],
  ])('gives nothing for %s', (_what, schema) => expect(enforceableSchema(schema)).toBeUndefined());
});

describe('an answer of a schema', () => {
  const asked = (schema: Readonly<Record<string, unknown>>, strict?: boolean) =>
    toMessagesRequest(
      {
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Count.' }] }],
        responseFormat: { name: 'counts', schema, strict },
      },
      { model: 'claude-opus-5-5' },
    );

  it('is held to by the provider where it can be, in the form that it takes', () => {
    expect(asked({ $schema: 'x', ...object({ a: text }) }).output_config?.format?.schema).toEqual(closed({ a: text }));
  });

  it('goes through a tool where the provider cannot enforce it', () => {
    const body = asked(closed({ counts: record }));
    expect(body.output_config).toBeUndefined();
    expect(body.tools).toMatchObject([{ name: 'counts' }]);
  });

  it('goes as it is where the request insists', () => {
    const schema = closed({ counts: record });
    expect(asked({ $schema: 'x', ...schema }, true).output_config?.format?.schema).toEqual(schema);
  });
});
