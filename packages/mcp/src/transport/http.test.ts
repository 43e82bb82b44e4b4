import { expect, test } from 'vitest';
import { boundedBody } from './http.js';
import { FloodGate } from './gate.js';

/** A response that repeats a text for as long as it is read. */
function endless(text: string, type: string): Response {
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream({ pull: (controller) => controller.enqueue(bytes) });
  return new Response(body, { headers: { 'content-type': type } });
}

test.each([
  ['comments', `: ${'x'.repeat(1_000)}\n\n`, 'text/event-stream; charset=utf-8', 'sent without end'],
  ['an event without an end', 'x'.repeat(1_000), 'text/event-stream', 'sent a message of more than 1 MiB'],
  ['one message', ' '.repeat(1_000), 'application/json', 'sent a message of more than 1 MiB'],
])('a body of endless %s fails at its bound', async (_, text, type, problem) => {
  const problems: string[] = [];
  // On a clock that stands still: what is allowed does not grow while it is read.
  const gate = new FloodGate(3 * 2 ** 20, 2 ** 20, () => 0);
  const bounded = boundedBody(endless(text, type), {
    most: 2 ** 20,
    take: (bytes) => gate.take(bytes),
    standIn: () => undefined,
    exceeded: (each) => problems.push(each),
  });
  await expect(bounded.text()).rejects.toThrow(problem);
  expect(problems).toEqual([problem]);
});

test.each([
  ['an event', 'data: xxxx', 'text/event-stream', '\n\ndata: {"instead":1}\n\n'],
  ['a body', ' '.repeat(10), 'application/json', '{"instead":1}'],
])('%s that is too long ends with what stands in its place', async (_, text, type, end) => {
  const bounded = boundedBody(endless(text, type), {
    most: 30,
    take: () => true,
    standIn: () => '{"instead":1}',
    exceeded: expect.unreachable,
  });
  const read = await bounded.text();
  expect(read.endsWith(end)).toBe(true);
  expect(read.length).toBeLessThan(80);
});
