import type { IncomingMessage, ServerResponse as Outgoing } from 'node:http';

/** A request as it arrived. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The parsed JSON; undefined when it does not parse. */
  readonly body: unknown;
  /** Size of the body as sent. Unit: bytes. */
  readonly bytes: number;
}

/** One frame of a stream of server-sent events. */
export interface ServerSentEvent {
  /** The `event:` line. @defaultValue none */
  readonly event?: string;
  /** The `data:` line: text as it is (`[DONE]`), anything else as JSON. */
  readonly data: unknown;
}

/** What the server sends back. */
export interface ServerResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless there are {@link ServerResponse.events}. */
  readonly body?: unknown;
  /** Sent one by one as a stream. */
  readonly events?: Iterable<ServerSentEvent> | AsyncIterable<ServerSentEvent>;
  /** The first byte waits for it, or for the client to go away. */
  readonly startsAfter?: Promise<unknown>;
  /** Called when the first byte is about to be sent; never called when none is. */
  readonly onStart?: () => void;
  /**
   * How it ends. `cut`: the connection is closed under a stream that is not complete, in the middle of JSON, or before the
   * first byte when there is neither. `stall`: the same place, but the connection stays open and silent. @defaultValue `complete`
   */
  readonly ending?: 'complete' | 'cut' | 'stall';
}

/** An error to answer with, in whichever shape the provider has for it. */
export interface ServerError {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  /** More about it in a shape of the provider's, such as `{ error_code }` at Anthropic. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** For example `retry-after`; `x-should-retry: false` keeps an SDK from trying again. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server on this machine that speaks a provider's protocol. */
export interface ProviderServer {
  /** What an adapter is given as `baseURL`. */
  readonly url: string;
  /** Every request so far, refused ones too, in the order in which they were complete. */
  readonly requests: readonly ReceivedRequest[];
  /** Ends it, open connections too. A second call does nothing. */
  close(): Promise<void>;
}

/** A server on a free port of this machine. `node:http` is loaded here, so that the rest of the folder runs without Node. */
export async function serve(options: {
  /** Stands between the address and a path in {@link ProviderServer.url}. */
  readonly basePath: string;
  readonly handle: (request: ReceivedRequest) => Promise<ServerResponse> | ServerResponse;
}): Promise<ProviderServer> {
  const { createServer } = await import('node:http');
  const requests: ReceivedRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    const respond = async () => {
      const request = await received(incoming);
      requests.push(request);
      return options.handle(request);
    };
    respond()
      .catch((error: unknown): ServerResponse => ({
        status: 500,
        headers: { 'x-should-retry': 'false' },
        body: { type: 'error', error: { type: 'test', message: String(error) } },
      }))
      .then((response) => send(response, outgoing))
      // A client that went away is its own affair.
      .catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  let closing: Promise<void> | undefined;
  const close = () =>
    new Promise<void>((resolve, reject) => {
      server.close((error) => (error === undefined ? resolve() : reject(error)));
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${port}${options.basePath}`,
    requests,
    close: () => (closing ??= close()),
  };
}

async function send(response: ServerResponse, outgoing: Outgoing): Promise<void> {
  const { status, headers, body, events, startsAfter, onStart, ending = 'complete' } = response;
  const gone = new Promise<void>((resolve) => outgoing.once('close', resolve));
  if (startsAfter !== undefined) await Promise.race([startsAfter, gone]);
  if (outgoing.destroyed) return;
  if (events !== undefined || body !== undefined) onStart?.();
  if (events !== undefined) {
    outgoing.writeHead(status, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers });
    outgoing.flushHeaders();
    for await (const event of events) {
      if (outgoing.destroyed) return;
      await written(frameOf(event), outgoing);
    }
    if (ending === 'complete') outgoing.end();
  } else if (body !== undefined) {
    const json = JSON.stringify(body);
    outgoing.writeHead(status, {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(json)),
      ...headers,
    });
    if (ending === 'complete') outgoing.end(json);
    else await written(json.slice(0, Math.floor(json.length / 2)), outgoing);
  }
  if (ending === 'cut') outgoing.destroy();
}

function frameOf({ event, data }: ServerSentEvent): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
}

/** Handed to the system when this resolves: what was written before a cut has to arrive. */
function written(text: string, outgoing: Outgoing): Promise<void> {
  return new Promise((resolve, reject) => {
    outgoing.write(text, (error) => (error instanceof Error ? reject(error) : resolve()));
  });
}

async function received(incoming: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
  const bytes = Buffer.concat(chunks);
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
    body: parsed(bytes.toString('utf8')),
    bytes: bytes.length,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Four characters of JSON a token: the servers' stated measure. */
export function tokensOf(value: unknown): number {
  return Math.ceil((JSON.stringify(value) ?? '').length / 4);
}
