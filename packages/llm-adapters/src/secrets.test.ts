import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { secretsOf } from './secrets.js';

const key = 'sk-test-0123456789';

describe('secretsOf', () => {
  const secrets = secretsOf([key, null, undefined, 'none']);

  it('takes keys out of text, as they are and encoded', () => {
    expect(secrets.redact(`Bearer ${key}, ?key=${key}`)).toBe('Bearer [secret], ?key=[secret]');
    expect(secretsOf(['a"b+c d/efgh']).redact('a%22b%2Bc%20d%2Fefgh and a\\"b+c d/efgh')).toBe('[secret] and [secret]');
  });

  it('leaves words that are too short to be keys', () => expect(secrets.redact('none of these')).toBe('none of these'));

  it('keeps an error that holds no key', () => {
    const error = new Error('refused', { cause: new Error('why') });
    expect(secrets.redactError(error)).toBe(error);
  });

  it.each([
    ['its message', new TypeError(`bad header ${key}`)],
    ['its cause', new Error('refused', { cause: new Error(key) })],
    ['a field', Object.assign(new Error('refused'), { request: { headers: [['authorization', `Bearer ${key}`]] } })],
    ['headers', Object.assign(new Error('refused'), { headers: new Headers({ authorization: key }) })],
    ['a map', Object.assign(new Error('refused'), { sent: new Map([['key', key]]) })],
    ['a field that is not listed', Object.defineProperty(new Error('refused'), 'hidden', { value: key })],
    [
      'more fields than can be looked at',
      Object.assign(new Error(key), { all: Array.from({ length: 20_000 }, () => ({})) }),
    ],
  ])('gives a copy without the key that stands in %s', (_where, error) => {
    const copy = secrets.redactError(error);
    expect(copy).toBeInstanceOf(Error);
    expect((copy as Error).name).toBe(error.name);
    expect(inspect(copy, { depth: 10, showHidden: true })).not.toContain(key);
  });

  it('survives cycles and getters that throw', () => {
    const error = new Error('refused');
    Object.assign(error, { self: error });
    Object.defineProperty(error, 'broken', {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    });
    expect(secrets.redactError(error)).toBe(error);
  });
});
