import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anthropicMessages } from '../codecs/anthropic.js';
import { chatMessages } from '../codecs/chat.js';
import { digestAfter, digestOf, messageDigest, portableHash } from './digest.js';
import { responsesItems } from '../codecs/responses.js';

// Places and names are stored, and tenants may share a store: whoever changes what is pinned here gives digests another version.

test('the digest of a message is that of its canonical form', () => {
  const digests = [
    chatMessages().read({ role: 'user', content: 'Mend the parser.', name: 'ann' }),
    chatMessages().read({
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'read', arguments: '{"b":1,"a":[2]}' } }],
    }),
    anthropicMessages().read({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c', content: 'x', is_error: true },
        { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AA==' } },
      ],
    }),
    responsesItems().read({ type: 'reasoning', id: 'r', summary: [], encrypted_content: 'sealed' }),
  ].map(messageDigest);
  expect(digests).toEqual([
    '1:92e96d2796b726d8d507627ffe64a46b',
    '1:9e8987ccc381ea7f6574e817e1f405ba',
    '1:87d0eee0746a92549a8055d6d43b5475',
    '1:bc82fc6959e8c4a93cc8d14d12fe7750',
  ]);
  expect(digestAfter(digests[0] ?? '', digests[1] ?? '')).toBe('1:ef21c93b13715d1900b5402e76fcf1ce');
});

test('the order of keys, ids of answers, thinking and cache marks do not count', () => {
  const codec = anthropicMessages();
  const text = { type: 'text', text: 'Done.' };
  const call = { type: 'tool_use', id: 'c', name: 'read', input: { a: 1, b: 2 } };
  const thought = { type: 'thinking', thinking: 'Hm.', signature: 's' };
  const same = [
    { role: 'assistant', content: [text, call] },
    { content: [text, { ...call, input: { b: 2, a: 1 } }], role: 'assistant', id: 'msg_1' },
    { role: 'assistant', content: [thought, text, { ...call, cache_control: { type: 'ephemeral' } }] },
  ];
  expect(new Set(same.map((message) => messageDigest(codec.read(message)))).size).toBe(1);
  const other = { role: 'assistant', content: [{ type: 'text', text: 'Done!' }, call] };
  expect(messageDigest(codec.read(other))).not.toBe(messageDigest(codec.read(same[0])));
});

test('every engine makes the same digest', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.constantFrom('', '\ud800', '\udc00x'), (text, half) => {
      const hash = createHash('sha256')
        .update(text + half)
        .digest('hex');
      expect(portableHash(text + half)).toBe(hash);
      expect(digestOf(text + half)).toBe(`1:${hash.slice(0, 32)}`);
    }),
  );
});
