import { UsageReader } from './usage-reader.js';

/**
 * Returns an answer whose bytes pass as they arrive. A copy of them is read for the provider's usage, which `done` gets once, when the answer has ended,
 * was broken off, or its client has gone.
 */
export function withUsageRead(answer: Response, done: (usage: unknown) => void): Response {
  const { status, headers, body } = answer;
  const usage = new UsageReader(headers.get('content-type') ?? '');
  let isDone = false;
  const length = headers.get('content-length');
  let left = length === null ? Infinity : Number(length);
  const finish = (): void => {
    if (!isDone) done(usage.end());
    isDone = true;
  };
  if (body === null) {
    finish();
    return answer;
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const passed = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { value } = await reader.read();
          if (value === undefined) {
            // Before the client learns of the end: its next request finds what is known of this one.
            finish();
            return controller.close();
          }
          usage.read(value);
          // With a stated length the client has its answer at the last byte, before the end is read.
          left -= value.length;
          if (left <= 0) finish();
          controller.enqueue(value);
        } catch (error) {
          finish();
          controller.error(error);
        }
      },
      cancel: (reason) => {
        finish();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(passed, { status, headers });
}
