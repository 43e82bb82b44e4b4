import type { ServerResponse, ServerSentEvent } from './provider-server.js';

/** A whole answer that is an error. Each server words it as its provider does. */
export type RefusalFault =
  /** 429. `retryAfterSeconds` is the `retry-after` header. @defaultValue no header */
  | { readonly fault: 'rate-limit'; readonly retryAfterSeconds?: number }
  /** 429 that no waiting cures: a spend limit, a quota that is used up. Never with `retry-after`. */
  | { readonly fault: 'spend-limit' }
  /** The provider has no room: 529 at Anthropic, 503 at OpenAI. */
  | { readonly fault: 'overloaded'; readonly retryAfterSeconds?: number }
  /** 500. */
  | { readonly fault: 'server-error' }
  /** 413: the edge before the provider refuses the bytes of a body, whatever their number. */
  | { readonly fault: 'too-many-bytes' };

/**
 * Something that happens to an answer on its way. `afterEvents` counts the events of the stream that still arrive; for an
 * answer that is not streamed any number above 0 means half of its bytes. @defaultValue 0: not even the status line
 */
export type DeliveryFault =
  /** The connection is closed. */
  | { readonly fault: 'cut'; readonly afterEvents?: number }
  /** Nothing more comes, and the connection stays open until the client gives up. */
  | { readonly fault: 'stall'; readonly afterEvents?: number }
  /** After status 200, an event in the stream says that the provider failed; the stream ends there. Not streamed: a 500, unless it is a refusal. */
  | { readonly fault: 'stream-error'; readonly afterEvents?: number }
  /** The first byte waits for `until`, or for this long; then the answer comes whole. Unit: milliseconds. */
  | { readonly fault: 'slow-first-byte'; readonly until: Promise<unknown> | number };

/** What a server does wrong on demand. */
export type Fault = RefusalFault | DeliveryFault;

/**
 * The faults of a server's requests, by the number of the request: every call of the model counts, from 0, retried, refused
 * and faulty ones too. A place without a fault is a request that is answered as it should be.
 */
export type Faults = readonly (Fault | undefined)[] | ((body: unknown, index: number) => Fault | undefined);

/** The fault of a request. */
export function faultAt(faults: Faults | undefined, body: unknown, index: number): Fault | undefined {
  return typeof faults === 'function' ? faults(body, index) : faults?.[index];
}

/** Tells a fault that spoils the answer on its way from one that replaces it. */
export function isDeliveryFault(fault: Fault): fault is DeliveryFault {
  return ['cut', 'stall', 'stream-error', 'slow-first-byte'].includes(fault.fault);
}

/** The answer with the fault in it; `failure` is how the provider says inside a stream, and as a whole answer, that it failed. */
export function spoiled(
  response: ServerResponse,
  fault: DeliveryFault,
  failure: { readonly event: ServerSentEvent; readonly response: ServerResponse },
): ServerResponse {
  if (fault.fault === 'slow-first-byte') {
    const { until } = fault;
    const startsAfter = typeof until === 'number' ? elapsed(until) : until;
    return { ...response, startsAfter };
  }
  const { events, ...whole } = response;
  const { afterEvents = 0 } = fault;
  if (fault.fault === 'stream-error') {
    if (events !== undefined) return { ...response, events: firstOf(events, afterEvents, failure.event) };
    return response.status === 200 ? failure.response : response;
  }
  const ending = fault.fault;
  if (afterEvents === 0) return { status: response.status, ending };
  return events === undefined ? { ...whole, ending } : { ...response, events: firstOf(events, afterEvents), ending };
}

/** Never keeps the process alive: the server may be closed long before. */
function elapsed(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}

async function* firstOf(
  events: Iterable<ServerSentEvent> | AsyncIterable<ServerSentEvent>,
  count: number,
  last?: ServerSentEvent,
): AsyncGenerator<ServerSentEvent> {
  let sent = 0;
  if (count > 0) {
    for await (const event of events) {
      yield event;
      sent += 1;
      if (sent === count) break;
    }
  }
  if (last !== undefined) yield last;
}
