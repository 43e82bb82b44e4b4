import { expect, test } from 'vitest';
import { MessageId } from './stdio.js';

test.each([
  ['{"jsonrpc":"2.0","id":7,"result":{"id":8,"text":"\\"id\\":9,"}}', 7],
  ['{"result":[{"id":8},"}],\\\\"], "id" : "a \\" b" }', 'a " b'],
  ['{"method":"x","params":{"id":8}}', undefined],
  ['[{"id":8}]', undefined],
  [`{"id":"${'x'.repeat(300)}"}`, undefined],
  ['{"id":8', undefined],
])('%s', (json, id) => {
  for (const size of [1, 5, json.length]) {
    const found = new MessageId();
    for (let at = 0; at < json.length; at += size) found.write(Buffer.from(json.slice(at, at + size)));
    expect(found.id).toBe(id);
  }
});
