import { describe, expect, it } from 'vitest';
import { sendableFormat, strictSchema } from './structured-output.js';

const object = (properties: object, fields: object = {}) => ({ type: 'object', properties, ...fields });
const closed = { additionalProperties: false };
const word = { type: 'string' };

describe('strictSchema', () => {
  it('closes objects, however deep', () => {
    const inner = object({ b: word }, { required: ['b'] });
    const schema = object(
      { a: { type: 'array', items: inner }, c: { anyOf: [inner, { type: 'null' }] }, d: { $ref: '#/$defs/D' } },
      { required: ['a', 'c', 'd'], $defs: { D: inner } },
    );
    const strict = { ...inner, ...closed };
    expect(strictSchema(schema)).toEqual({
      type: 'object',
      properties: {
        a: { type: 'array', items: strict },
        c: { anyOf: [strict, { type: 'null' }] },
        d: { $ref: '#/$defs/D' },
      },
      required: ['a', 'c', 'd'],
      $defs: { D: strict },
      ...closed,
    });
  });

  it('requires a field that may be null', () => {
    const a = { type: ['string', 'null'] };
    const b = { anyOf: [word, { type: 'null' }] };
    expect(strictSchema(object({ a, b }))).toEqual(object({ a, b }, { required: ['a', 'b'], ...closed }));
  });

  it.each([
    ['an optional field that may not be null', object({ a: word })],
    ['a record', object({ a: { type: 'object', additionalProperties: word } }, { required: ['a'] })],
    ['any object', { type: 'object' }],
    ['other fields allowed', object({}, { additionalProperties: true })],
    ['a root that is no object', { type: 'array', items: word }],
    ['a choice at the root', { type: 'object', anyOf: [object({}), object({})] }],
    ['a keyword that is not enforced', object({ a: { allOf: [word] } }, { required: ['a'] })],
    ['a schema that is none', object({ a: true }, { required: ['a'] })],
  ])('gives none for %s', (_, schema) => expect(strictSchema(schema)).toBeUndefined());
});

describe('sendableFormat', () => {
  const enforceable = object({ a: word }, { required: ['a'], $schema: 'x' });
  const other = object({ a: word });

  it('enforces where it can, and says so', () => {
    expect(sendableFormat({ name: 'n', schema: enforceable })).toEqual({
      name: 'n',
      schema: object({ a: word }, { required: ['a'], ...closed }),
      strict: true,
    });
    expect(sendableFormat({ name: 'n', schema: other })).toEqual({ name: 'n', schema: other, strict: false });
  });

  it('does what the request says', () => {
    expect(sendableFormat({ name: 'n', schema: enforceable, strict: false })).toMatchObject({ strict: false });
    expect(sendableFormat({ name: 'n', schema: other, strict: true })).toEqual({
      name: 'n',
      schema: other,
      strict: true,
    });
  });

  it('gives every format a name that can be sent', () => {
    expect(sendableFormat({ name: 'the answer, please', schema: other }).name).toBe('the_answer__please');
    expect(sendableFormat({ name: '', schema: other }).name).toBe('answer');
    expect(sendableFormat({ name: 'x'.repeat(99), schema: other }).name).toHaveLength(64);
  });
});
