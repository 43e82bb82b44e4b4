import { Readable } from 'node:stream';

/** Returns a stream as one of the web. Without its own measure it would hold thousands of chunks before it waits for its reader. */
export function toWeb(stream: Readable): ReadableStream<Uint8Array> {
  const strategy = new CountQueuingStrategy({ highWaterMark: 1 });
  return Readable.toWeb(stream, { strategy }) as ReadableStream<Uint8Array>;
}
