import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isAsBefore, snapshotOf } from './snapshot.js';

const json = fc.jsonValue({ maxDepth: 4 });

test('a value is as before if and only if it is deeply equal', () => {
  fc.assert(
    fc.property(json, json, (one, other) => {
      const snapshot = snapshotOf(one);
      // A value that holds the key of the prototype is never taken for the same.
      if (!JSON.stringify(one).includes('__proto__')) expect(isAsBefore(snapshot, structuredClone(one))).toBe(true);
      if (isAsBefore(snapshot, other)) expect(isDeepStrictEqual(one, other)).toBe(true);
    }),
  );
});

const message = () => ({
  role: 'user',
  content: [{ type: 'text', text: 'Mend it.' }, { type: 'image' }] as object[],
  name: undefined as string | undefined,
});

test.each<[string, (host: ReturnType<typeof message>) => void]>([
  ['a text in a part', ({ content }) => void Object.assign(content[0] ?? {}, { text: 'Mend this.' })],
  ['a mark that was added', ({ content }) => void Object.assign(content[1] ?? {}, { cache_control: {} })],
  ['a part that was added', ({ content }) => void content.push({ type: 'text', text: '!' })],
  ['a part that was taken away', ({ content }) => void content.pop()],
  ['a key that was taken away', (host) => void Reflect.deleteProperty(host, 'role')],
  ['a key without a value that was taken away', (host) => void Reflect.deleteProperty(host, 'name')],
  ['a key that was added without a value', (host) => void Object.assign(host, { id: undefined })],
  ['another prototype', (host) => void Object.assign(host, { content: new Date(0) })],
])('%s is seen, in the same object', (_, change) => {
  const host = message();
  const snapshot = snapshotOf(host);
  expect(isAsBefore(snapshot, host)).toBe(true);
  change(host);
  expect(isAsBefore(snapshot, host)).toBe(false);
});

test('a key of the prototype is no key of a message', () => {
  class Inheriting {
    readonly content = 'text';
  }
  Object.assign(Inheriting.prototype, { role: 'user' });
  expect(isAsBefore(snapshotOf({ role: 'user', content: 'text' }), new Inheriting())).toBe(false);
  const odd = JSON.parse('{"a":1,"__proto__":{"b":2}}') as object;
  expect(isAsBefore(snapshotOf(odd), { a: 1, b: 2 })).toBe(false);
  expect(isAsBefore(snapshotOf(odd), odd)).toBe(false);
});
