import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EarlierBodies } from './earlier-bodies.js';
import { commonLength, readBody, withList } from './request-body.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const textOf = (body: Uint8Array) => new TextDecoder().decode(body);

const message = fc.oneof(
  fc.record({ role: fc.constantFrom('user', 'assistant'), content: fc.string({ unit: 'grapheme' }) }),
  fc.jsonValue({ maxDepth: 3 }),
);
const indent = fc.constantFrom(undefined, 1, '\t');

it('reads a body behind an earlier one as it reads it alone', () => {
  const body = fc.record({ list: fc.array(message, { maxLength: 8 }), before: fc.string(), behind: fc.jsonValue() });
  fc.assert(
    fc.property(
      body,
      fc.nat(8),
      fc.array(message, { maxLength: 4 }),
      fc.jsonValue(),
      indent,
      (first, kept, added, changed, space) => {
        const write = (messages: readonly unknown[], behind: unknown) =>
          bytes(JSON.stringify({ before: first.before, messages, behind }, null, space));
        const earlier = readBody(write(first.list, first.behind), 'messages');
        const given = write([...first.list.slice(0, kept), ...added], changed);
        const alone = readBody(given, 'messages')!;
        const behind = readBody(given, 'messages', earlier)!;
        expect(behind).toEqual(alone);
        expect(textOf(withList(behind, behind.list.slice(1)))).toBe(textOf(withList(alone, alone.list.slice(1))));
      },
    ),
    { numRuns: 500 },
  );
});

it('has the objects of the messages that it knows', () => {
  const first = '{"model":"é","messages":[{"role":"user","content":"ä"}, {"role":"assistant","content":"b"}';
  const earlier = readBody(bytes(`${first}]}`), 'messages')!;
  const later = readBody(bytes(`${first} , {"role":"user","content":"c"}],"x":1}`), 'messages', earlier)!;
  expect(later.list[0]).toBe(earlier.list[0]);
  expect(later.list[1]).toBe(earlier.list[1]);
  expect(later.value).toEqual({ model: 'é', messages: later.list, x: 1 });
  expect(textOf(withList(later, [later.list[2], later.list[0]]))).toBe(
    '{"model":"é","messages":[{"role":"user","content":"c"},{"role":"user","content":"ä"}],"x":1}',
  );
});

it.each([
  ['a comma without a message', '{"messages":[{"a":1},]}'],
  ['no comma', '{"messages":[{"a":1}{"b":1}]}'],
  ['no end', '{"messages":[{"a":1}'],
  ['another key of that name', '{"messages":[{"a":1}],"messages":[]}'],
  ['another key twice', '{"messages":[{"a":1}],"b":1,"b":2}'],
  ['a key of that name in another spelling', '{"messages":[{"a":1}],"mess\\u0061ges":[]}'],
  ['no UTF-8 behind it', Buffer.concat([bytes('{"messages":[{"a":1},"'), Buffer.of(0xff), bytes('"]}')])],
])('reads no body with %s', (_, text) => {
  const earlier = readBody(bytes('{"messages":[{"a":1}]}'), 'messages')!;
  expect(readBody(typeof text === 'string' ? bytes(text) : text, 'messages', earlier)).toBeUndefined();
});

it('tells keys apart that have no ASCII', () => {
  expect(readBody(bytes('{"é":1,"\\u00e9":2,"messages":[]}'), 'messages')).toBeUndefined();
  expect(readBody(bytes('{"é":1,"\\u00c3\\u00a9":2,"messages":[]}'), 'messages')).toBeDefined();
});

it('finds where two bodies part', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 50 }),
      fc.uint8Array({ maxLength: 50 }),
      fc.uint8Array({ maxLength: 50 }),
      (both, one, other) => {
        const [first, second] = [Uint8Array.of(...both, ...one), Uint8Array.of(...both, ...other)];
        const parts = first.findIndex((byte, index) => byte !== second[index]);
        expect(commonLength(first, second)).toBe(parts === -1 ? first.length : parts);
      },
    ),
  );
});

it('remembers one body of each conversation, the last ones', () => {
  const bodies = new EarlierBodies();
  const add = (text: string) => {
    const given = bytes(text);
    const likeliest = bodies.likeliest(given);
    const body = readBody(given, 'messages', likeliest)!;
    bodies.add(body, likeliest);
    return { body, likeliest };
  };
  const of = (name: string, count: number) =>
    JSON.stringify({ messages: Array.from({ length: count }, (_, index) => ({ content: `${name} ${index}` })) });
  const first = add(of('one', 1));
  expect(add(of('one', 2)).likeliest).toBe(first.body);
  for (const name of ['two', 'three', 'four']) add(of(name, 2));
  expect(add(of('one', 3)).likeliest?.list).toHaveLength(2);
  add(of('five', 1));
  expect(add(of('two', 3)).likeliest?.list[0]).not.toEqual({ content: 'two 0' });
});
