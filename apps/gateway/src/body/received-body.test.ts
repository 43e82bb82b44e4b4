import { expect, it } from 'vitest';
import { readUpTo } from './received-body.js';

/** A stream of so many chunks of ten bytes, which counts those that were asked for. */
function chunks(count: number) {
  const asked = { count: 0, isCancelled: false };
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        if (asked.count === count) controller.close();
        else controller.enqueue(new Uint8Array(10).fill(asked.count++));
      },
      cancel: () => void (asked.isCancelled = true),
    },
    { highWaterMark: 0 },
  );
  return { asked, stream };
}

const all = (count: number) => Buffer.concat(Array.from({ length: count }, (_, index) => Buffer.alloc(10, index)));

it.each([0, 1, 5])('returns the bytes of %i chunks', async (count) => {
  const body = await readUpTo(chunks(count).stream, 50);
  expect(Buffer.from(body as Uint8Array)).toEqual(all(count));
});

it('makes a stream of a larger body, which reads no further than its reader', async () => {
  const { asked, stream } = chunks(20);
  const body = await readUpTo(stream, 50);
  expect(body).toBeInstanceOf(ReadableStream);
  expect(asked.count).toBe(6);
  const read = await new Response(body as ReadableStream<Uint8Array>).arrayBuffer();
  expect(Buffer.from(read)).toEqual(all(20));
});

it('tells the sender of a larger body that its reader has gone', async () => {
  const { asked, stream } = chunks(20);
  const body = (await readUpTo(stream, 50)) as ReadableStream<Uint8Array>;
  await body.cancel('gone');
  expect(asked).toEqual({ count: 6, isCancelled: true });
});

it('fails as the stream does', async () => {
  const stream = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('gone')) });
  await expect(readUpTo(stream, 50)).rejects.toThrow('gone');
});
