import { expect, test } from 'vitest';
import { plainAnswer } from './plain-answer.js';

const ofType = (type: string | undefined, body: string | null) =>
  new Response(body === null ? null : new TextEncoder().encode(body), {
    headers: type === undefined ? {} : { 'content-type': type },
  });

test.each([
  ['the right type', 'application/json; charset=utf-8', '{"a":1}'],
  ['the type of a stream', 'text/event-stream', '\ufeff {"a":1}'],
  ['another type', 'text/plain', '{"a":1}\n'],
  ['no type', undefined, '{"a":1}'],
])('reads JSON under %s', async (_, type, body) => {
  expect(await plainAnswer(ofType(type, body))).toEqual({ a: 1 });
});

test.each([
  ['the right type', 'text/event-stream', 'data: {"a":1}\n\n'],
  ['the type of JSON', 'application/json', ': ping\n\nevent: a\ndata: {}\n\n'],
  ['no type, and nothing in it', undefined, ''],
])('leaves a stream unread under %s', async (_, type, body) => {
  const response = ofType(type, body);
  expect(await plainAnswer(response)).toBeUndefined();
  expect(await response.text()).toBe(body);
});

test('takes no answer without a body for JSON, and a page for neither', async () => {
  expect(await plainAnswer(ofType('application/json', null))).toBeUndefined();
  await expect(plainAnswer(ofType('text/html', '<html>Log in</html>'))).rejects.toThrow(SyntaxError);
});
