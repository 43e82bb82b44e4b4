import type { ServerResponse, ServerSentEvent } from './http.js';

/** An error instead of an answer. Each server uses its provider's text. */
export type RefusalFault =
  /** 429. `retryAfterSeconds` is the `retry-after` header. @defaultValue no header */
  | { readonly fault: 'rate-limit'; readonly retryAfterSeconds?: number }
  /** 429 for a spend limit or an exhausted quota. Waiting does not help, so it never has `retry-after`. */
  | { readonly fault: 'spend-limit' }
  /** The provider is overloaded: 529 at Anthropic, 503 at OpenAI. */
  | { readonly fault: 'overloaded'; readonly retryAfterSeconds?: number }
  /** 500. */
  | { readonly fault: 'server-error' }
  /** 413: the edge in front of the provider refuses the body as too large, regardless of its real size. */
  | { readonly fault: 'too-many-bytes' };

/**
 * A fault during the delivery of an answer. `afterEvents` is the number of stream events that arrive before the fault. For an
 * unstreamed answer, any number above 0 means half of its bytes. @defaultValue 0: not even the status line
 */
export type DeliveryFault =
  /** The connection is closed. */
  | { readonly fault: 'cut'; readonly afterEvents?: number }
  /** The server sends nothing more. The connection stays open until the client closes it. */
  | { readonly fault: 'stall'; readonly afterEvents?: number }
  /** The stream waits for the promise `until`, or for `until` milliseconds, and goes on. Unstreamed: as `slow-first-byte`. */
  | { readonly fault: 'pause'; readonly afterEvents?: number; readonly until: Promise<unknown> | number }
  /** After status 200, the stream ends with an error event. Unstreamed: a 500 instead of the answer; a refusal is unchanged. */
  | { readonly fault: 'stream-error'; readonly afterEvents?: number }
  /** The first byte waits for the promise `until`, or for `until` milliseconds. Then the whole answer is sent. */
  | { readonly fault: 'slow-first-byte'; readonly until: Promise<unknown> | number };

/** A fault that a server produces on demand. */
export type Fault = RefusalFault | DeliveryFault;

/**
 * The faults by the number of the request. Every model call counts, from 0, including retried, refused and faulty ones. A
 * request without a fault is answered normally.
 */
export type Faults = readonly (Fault | undefined)[] | ((body: unknown, index: number) => Fault | undefined);

/** Returns the fault of a request. */
export function faultAt(faults: Faults | undefined, body: unknown, index: number): Fault | undefined {
  return typeof faults === 'function' ? faults(body, index) : faults?.[index];
}

/** Returns true for a fault during delivery; false for a fault that replaces the answer. */
export function isDeliveryFault(fault: Fault): fault is DeliveryFault {
  return ['cut', 'stall', 'pause', 'stream-error', 'slow-first-byte'].includes(fault.fault);
}

/** Applies the fault to an answer. `failure` is the provider failure as a stream event and as a whole answer. */
export function withFault(
  response: ServerResponse,
  fault: DeliveryFault,
  failure: { readonly event: ServerSentEvent; readonly response: ServerResponse },
): ServerResponse {
  if (fault.fault === 'slow-first-byte' || fault.fault === 'pause') {
    const afterEvents = fault.fault === 'pause' ? (fault.afterEvents ?? 0) : 0;
    const { until } = fault;
    const over = typeof until === 'number' ? elapsed(until) : until;
    if (response.events === undefined || afterEvents === 0) return { ...response, startsAfter: over };
    return { ...response, events: paused(response.events, afterEvents, over) };
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

/** Never keeps the process alive, because the server may be closed earlier. */
function elapsed(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}

async function* paused(
  events: Iterable<ServerSentEvent> | AsyncIterable<ServerSentEvent>,
  afterEvents: number,
  over: Promise<unknown>,
): AsyncGenerator<ServerSentEvent> {
  let sent = 0;
  for await (const event of events) {
    if (sent++ === afterEvents) await over;
    yield event;
  }
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
