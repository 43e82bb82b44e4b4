type Fetch = typeof globalThis.fetch;

/** Tells streams that a server has ended from those that were cut: the SDK's iteration ends alike at both. */
export interface DoneMarkers {
  /** The same `fetch`, its streams watched. */
  watching(fetch: Fetch): Fetch;
  /** Whether what was read of a stream so far ends with `data: [DONE]`. */
  hasEnded(response: Response): boolean;
}

/** The line with which a server ends a stream on purpose. @see provider-rules B.6 */
const doneAtEnd = /(?:^|[\r\n])data:\s*\[DONE\]\s*$/;

/** More than the line and the blank lines around it take. Unit: characters. */
const keptCharacters = 64;

/** Nothing watched yet. */
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

/** The same bytes, and the last characters of those that were read. */
function withEnd(body: ReadableStream<Uint8Array>) {
  // A byte is a character: the line is ASCII, and no other character's bytes look like it.
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
