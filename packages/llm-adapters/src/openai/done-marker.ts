type Fetch = typeof globalThis.fetch;

/** Distinguishes streams that the server ended from streams that were cut: the SDK's iteration ends in the same way for both. */
export interface DoneMarkers {
  /** A `fetch` that watches its streams. */
  watching(fetch: Fetch): Fetch;
  /** Whether the text read from a stream so far ends with `data: [DONE]`. */
  hasEnded(response: Response): boolean;
}

/** The line with which a server ends a complete stream. @see provider-rules B.6 */
const doneAtEnd = /(?:^|[\r\n])data:\s*\[DONE\]\s*$/;

/** Longer than the line and the blank lines around it. Unit: characters. */
const keptCharacters = 64;

/** A watch before its first stream. */
export function doneMarkers(): DoneMarkers {
  const ends = new WeakMap<Response, () => string>();
  return {
    watching: (fetch) => async (input, init) => {
      const response = await fetch(input, init);
      const { body, headers, status, statusText } = response;
      if (body === null || headers.get('content-type')?.includes('text/event-stream') !== true) return response;
      const { stream, end } = withEnd(body);
      const watched = new Response(stream, { status, statusText, headers });
      ends.set(watched, end);
      return watched;
    },
    hasEnded: (response) => doneAtEnd.test(ends.get(response)?.() ?? ''),
  };
}

/** Passes the bytes through and records the last characters. */
function withEnd(body: ReadableStream<Uint8Array>) {
  // Each byte is read as one character: the line is ASCII, and no bytes of a multi-byte character look like ASCII.
  const decoder = new TextDecoder('latin1');
  let last = '';
  const stream = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        last = (last + decoder.decode(bytes.subarray(-keptCharacters))).slice(-keptCharacters);
        controller.enqueue(bytes);
      },
    }),
  );
  return { stream, end: () => last };
}
