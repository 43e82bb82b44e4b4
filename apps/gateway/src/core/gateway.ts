import { createHash } from 'node:crypto';
import { EarlierBodies } from '../body/earlier-bodies.js';
import { readUpTo } from '../body/received-body.js';
import { readBody } from '../body/request-body.js';
import type { Receipt } from '../receipts/receipt.js';
import { apiOf, isCondensedByProvider, isHeldByProvider } from './api.js';
import { conversationNames, isFirstList } from './conversation-name.js';
import { Conversations } from './conversations.js';
import type { ConversationsOptions } from './conversations.js';
import { bytesOf, exchanged, passed } from './exchange.js';
import { isSubscription } from './headers.js';
import { HoldOut } from './hold-out.js';
import { modelOf } from './model.js';
import { noOrders } from './orders.js';
import type { OrderBook } from './orders.js';
import { forwarded } from './upstream-request.js';
import type { Upstream, UpstreamRequest } from './upstream-request.js';

/** Options of {@link gatewayOf}. */
export interface GatewayOptions extends ConversationsOptions {
  readonly upstream: Upstream;
  /** The name of the upstream: conversations with another one are others. @defaultValue there is one */
  readonly name?: string | undefined;
  readonly onReceipt?: ((receipt: Receipt) => void) | undefined;
  /** @defaultValue the user gives none */
  readonly orders?: OrderBook | undefined;
  /** The share of all sessions that pass unchanged, to compare the others with. @defaultValue none */
  readonly holdOut?: number | undefined;
  /** Also condenses what is sent with a subscription's login. @defaultValue false: it passes unchanged */
  readonly subscription?: boolean | undefined;
}

/** A larger body goes on unread. Unit: bytes. */
const mostBytes = 64 * 1024 * 1024;

/**
 * Returns the gateway before one provider: a function from a client's request to the answer. What it does not understand goes on byte for byte.
 */
export function gatewayOf(options: GatewayOptions): (request: Request) => Promise<Response> {
  const { name = '', subscription = false, orders = noOrders, now = () => new Date(), onReceipt } = options;
  const conversations = new Conversations(options);
  const earlier = new RecentBodies();
  const readBodies = new Map<string, EarlierBodies>();
  const heldOut = options.holdOut === undefined ? undefined : new HoldOut(options.holdOut);

  return async (request) => {
    const startedAt = performance.now();
    const { headers, signal } = request;
    const send = (body?: UpstreamRequest['body']) => options.upstream(forwarded(request, body));
    const found = request.method === 'POST' ? apiOf(new URL(request.url).pathname) : undefined;
    const length = Number(headers.get('content-length') ?? 0);
    if (found === undefined || request.body === null || length > mostBytes || headers.has('content-encoding'))
      return send();

    const { api, counts = false } = found;
    // A body that comes in chunks says no length.
    const bytes = await readUpTo(request.body, mostBytes);
    if (bytes instanceof ReadableStream) return send(bytes);
    const bodies = readBodies.get(api.name) ?? new EarlierBodies();
    readBodies.set(api.name, bodies);
    const before = bodies.likeliest(bytes);
    const body = readBody(bytes, api.list, before);
    if (body === undefined || isHeldByProvider(body.value)) return send(bytes);
    bodies.add(body, before);
    const names = conversationNames(name, api, body.list, headers);
    const isSubscribed = isSubscription(headers);
    const asked = { api, names, headers, bytes, body, isSubscription: isSubscribed, startedAt, send, now, onReceipt };
    if (isSubscribed && !subscription) return counts ? send(bytes) : passed(asked);
    const holdOut = await heldOut?.of(names, isFirstList(api, body.list), () => conversations.has(names));
    if (holdOut?.isHeldOut) return counts ? send(bytes) : passed({ ...asked, holdOut });
    if (counts && !(await conversations.has(names))) return send(bytes);

    const { undo, isPaused } = await orders.of(names.id);
    // What a client sends again, after an error, is no new step.
    const isAgain = !counts && earlier.has(bytes);
    const mayCondense = !counts && !isAgain && !isCondensedByProvider(body.value, body.list);
    const { model, tools, max_tokens: maxTokens } = body.value;
    const conversation = await conversations.of(api, names);
    const prepared = await conversation.prepare(body.list, {
      conversationId: names.log,
      model: modelOf(model, maxTokens, headers),
      system: api.system === undefined ? undefined : body.value[api.system],
      tools: Array.isArray(tools) ? tools : undefined,
      condense: mayCondense,
      signal,
      orders: { isPaused, undo: counts ? undefined : undo },
      undone: () => orders.undone(names.id),
    });
    if (counts) return send(bytesOf(asked, prepared));
    return exchanged({ ...asked, holdOut, conversation, prepared, isAgain });
  };
}

/** The number of bodies that are remembered as sent. */
const mostRecent = 64;

/** The bodies of the last requests, by their digests. */
class RecentBodies {
  readonly #digests = new Set<string>();

  /** Returns true if a body came before, and remembers it. */
  has(body: Uint8Array): boolean {
    const digest = createHash('sha256').update(body).digest('base64');
    const isKnown = this.#digests.delete(digest);
    this.#digests.add(digest);
    const [oldest = ''] = this.#digests;
    if (this.#digests.size > mostRecent) this.#digests.delete(oldest);
    return isKnown;
  }
}
