import { condensedHistory } from '@palimpsest/messages';
import type { CondensedHistory, Fitted } from '@palimpsest/messages';
import { pricedCondenser } from '@palimpsest/condensers';
import type { EventStore } from '@palimpsest/events';
import { readBody, withList } from '../body/request-body.js';
import type { RequestBody } from '../body/request-body.js';
import { forwardedHeaders, isSubscription } from './headers.js';
import { RecentBodies } from './recent-bodies.js';
import { UsageReader } from './usage-reader.js';
import { isHeldByProvider, wireOf } from './wire.js';
import type { Wire } from './wire.js';

/** Sends a request to a provider, and returns its answer as it arrives: not decoded, redirects not followed. */
export type Upstream = (request: UpstreamRequest) => Promise<Response>;

/** A request to a provider. */
export interface UpstreamRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: Uint8Array | ReadableStream<Uint8Array> | undefined;
  readonly signal: AbortSignal;
}

/** What is known of one request. */
export interface Receipt {
  readonly wire: Wire['name'];
  readonly model: string;
  readonly status: number;
  /** As the provider wrote it. @defaultValue it wrote none */
  readonly usage: unknown;
  /** Estimated sizes of the client's list and of the one that was sent. Unit: tokens. */
  readonly held: number;
  readonly sent: number;
  /** The condensations that this request has made. */
  readonly condensations: number;
  /** What failed inside the gateway. The request went on all the same. */
  readonly problem?: string | undefined;
}

/** Options of {@link gatewayOf}. */
export interface GatewayOptions {
  readonly upstream: Upstream;
  /** Keeps condensations over a restart. It holds words of the conversations, in summaries. */
  readonly store: EventStore;
  readonly onReceipt?: ((receipt: Receipt) => void) | undefined;
  /** Also condenses what is sent with a subscription's login. @defaultValue false: it passes unchanged */
  readonly subscription?: boolean | undefined;
}

/** The time that a new condensation may take. Earlier ones are applied without any limit. Unit: milliseconds. */
const condenserTimeoutMs = 2_000;
/** A larger body goes on unread. Unit: bytes. */
const mostBytes = 64 * 1024 * 1024;

/**
 * Returns the gateway before one provider: a function from a client's request to the answer. What it does not understand goes on byte for byte.
 */
export function gatewayOf(options: GatewayOptions): (request: Request) => Promise<Response> {
  const histories = new Map<Wire['name'], CondensedHistory<unknown>>();
  const historyOf = ({ name, codec }: Wire): CondensedHistory<unknown> => {
    const { store } = options;
    const history =
      histories.get(name) ?? condensedHistory({ condenser: pricedCondenser(), codec, store, condenserTimeoutMs });
    histories.set(name, history);
    return history;
  };

  const earlier = new RecentBodies();
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const send = (body: UpstreamRequest['body']) =>
      options.upstream({
        method: request.method,
        path: `${pathname}${search}`,
        headers: forwardedHeaders(request.headers),
        body,
        signal: request.signal,
      });
    const wire = request.method === 'POST' ? wireOf(pathname) : undefined;
    const length = Number(request.headers.get('content-length') ?? 0);
    const isRead = wire !== undefined && length <= mostBytes && !request.headers.has('content-encoding');
    if (!isRead || (isSubscription(request.headers) && options.subscription !== true))
      return send(request.body ?? undefined);

    const bytes = new Uint8Array(await request.arrayBuffer());
    const body = readBody(bytes, wire.list);
    if (body === undefined || isHeldByProvider(body.value)) return send(bytes);
    // What a client sends again, after an error, is no new step.
    const isAgain = await earlier.has(bytes);
    return exchange({ wire, history: historyOf(wire), bytes, body, isAgain, send, onReceipt: options.onReceipt });
  };
}

interface Exchange {
  readonly wire: Wire;
  readonly history: CondensedHistory<unknown>;
  readonly bytes: Uint8Array;
  readonly body: RequestBody;
  readonly isAgain: boolean;
  readonly send: (body: Uint8Array) => Promise<Response>;
  readonly onReceipt: GatewayOptions['onReceipt'];
}

/** Sends a list as it fits. A refusal that another list helps is answered once, before the client sees a byte. */
async function exchange({ wire, history, bytes, body, isAgain, send, onReceipt }: Exchange): Promise<Response> {
  const { model, tools } = body.value;
  const name = typeof model === 'string' ? model : 'unknown';
  const bytesOf = ({ state, messages }: Fitted<unknown>) => (state === 'untouched' ? bytes : withList(body, messages));
  let fitted = await history.fit(body.list, {
    model: name,
    system: wire.system === undefined ? undefined : body.value[wire.system],
    tools: Array.isArray(tools) ? tools : undefined,
    condense: !isAgain,
  });
  let answer = await send(bytesOf(fitted));
  if (answer.status === 400 || answer.status === 413) {
    const refusal = await answer.clone().text();
    const again = await history.afterError({ status: answer.status, responseBody: refusal }, fitted);
    if (again !== undefined) {
      fitted = again;
      answer = await send(bytesOf(fitted));
    }
  }
  const done = async (usage: unknown): Promise<void> => {
    const { tokensBefore, tokensAfter, condensations, problem } = fitted;
    await history.used(usage, fitted);
    onReceipt?.({
      wire: wire.name,
      model: name,
      status: answer.status,
      usage,
      held: tokensBefore,
      sent: tokensAfter,
      condensations: condensations.length,
      problem: problem?.message,
    });
  };
  return withUsageRead(answer, done);
}

/** Returns an answer whose bytes pass as they arrive; a copy of them is read for its usage. */
function withUsageRead(answer: Response, done: (usage: unknown) => Promise<void>): Response {
  const { status, headers, body } = answer;
  if (body === null) return answer;
  const reader = new UsageReader(headers.get('content-type') ?? '');
  const passed = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        controller.enqueue(chunk);
        reader.read(chunk);
      },
      flush: () => done(reader.end()).catch(() => undefined),
    }),
  );
  return new Response(passed, { status, headers });
}
