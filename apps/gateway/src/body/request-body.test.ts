import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readBody, withList } from './request-body.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const textOf = (body: Uint8Array) => new TextDecoder().decode(body);

it('keeps every byte besides the list, and those of each message that stays', () => {
  const text =
    ' { "model" : "m\\u0041x" ,\n"messages":[ {"role":"user", "content" : "a \\"b\\" \\\\"} , {"role":"assistant","content":[1.50, {"x":"]}"}]}\t],"stream":true , "n":1e3 }\n';
  const body = readBody(bytes(text), 'messages');
  const [, second] = body!.list;

  expect(textOf(withList(body!, [{ role: 'user', content: 'new' }, second]))).toBe(
    ' { "model" : "m\\u0041x" ,\n"messages":[{"role":"user","content":"new"},{"role":"assistant","content":[1.50, {"x":"]}"}]}],"stream":true , "n":1e3 }\n',
  );
});

it.each([
  ['no UTF-8', Uint8Array.of(0x7b, 0xff, 0x7d)],
  ['no JSON', bytes('{"messages":[')],
  ['a list', bytes('[{"messages":[]}]')],
  ['no list under the key', bytes('{"messages":{}}')],
  ['a key twice', bytes('{"messages":[],"model":"a","messages":[]}')],
  ['a key twice, written in two ways', bytes('{"messages":[],"m\\u0065ssages":[1]}')],
  ['nothing', bytes('')],
  ['begun by a mark of its order', bytes('\ufeff{"messages":[]}')],
  ['nested deeply', bytes(`{"messages":[],"x":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`)],
  ['open without an end', bytes(`{"messages":[${'['.repeat(1_000_000)}`)],
])('reads no body that is %s', (_, body) => {
  expect(readBody(body, 'messages')).toBeUndefined();
});

it('writes for any body what JSON.parse reads alike', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.string().filter((key) => key !== 'messages' && key !== '__proto__'),
        fc.jsonValue(),
      ),
      fc.array(fc.jsonValue()),
      fc.array(fc.nat()),
      fc.constantFrom(undefined, 1, '\t'),
      (others, messages, picks, indent) => {
        const given = { ...others, messages };
        const body = readBody(bytes(JSON.stringify(given, null, indent)), 'messages');
        const kept = picks.flatMap((pick) => (messages.length === 0 ? [] : [body!.list[pick % messages.length]]));
        const read: unknown = JSON.parse(textOf(withList(body!, kept)));
        expect(read).toEqual(JSON.parse(JSON.stringify({ ...given, messages: kept })));
      },
    ),
    { numRuns: 500 },
  );
});
