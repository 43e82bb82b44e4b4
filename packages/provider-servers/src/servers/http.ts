import type { IncomingMessage, ServerResponse as Outgoing } from 'node:http';

/** A received request. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The parsed JSON; undefined if it does not parse. */
  readonly body: unknown;
  /** Size of the body as sent. Unit: bytes. */
  readonly bytes: number;
}

/** One frame of a stream of server-sent events. */
export interface ServerSentEvent {
  /** The `event:` line. @defaultValue none */
  readonly event?: string;
  /** The `data:` line. Text is sent unchanged (`[DONE]`), other values as JSON. */
  readonly data: unknown;
}

/** The response of the server. */
export interface ServerResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless there are {@link ServerResponse.events}. */
  readonly body?: unknown;
  /** Sent one by one as a stream. */
  readonly events?: Iterable<ServerSentEvent> | AsyncIterable<ServerSentEvent>;
  /** The first byte waits for this promise, or until the client disconnects. */
  readonly startsAfter?: Promise<unknown>;
  /** Called just before the first byte is sent. Not called if no byte is sent. */
  readonly onStart?: () => void;
  /**
   * The end of the response. `cut`: the connection closes before the stream is complete, in the middle of the JSON, or, without
   * either, before the first byte. `stall`: the same places, but the connection stays open and silent.
   * @defaultValue `complete`
   */
  readonly ending?: 'complete' | 'cut' | 'stall';
}

/** A local server that implements a provider's protocol. */
export interface ProviderServer {
  /** The address alone, of every server alike: `http://127.0.0.1:PORT`. */
  readonly url: string;
  /**
   * What the provider's own SDK takes as `baseURL`. OpenAI's: {@link ProviderServer.url} and `/v1`, or the path of the profile. Anthropic's:
   * the address alone, because that SDK adds `/v1` itself.
   */
  readonly baseURL: string;
  /** All requests so far, including refused ones, in the order of completion. */
  readonly requests: readonly ReceivedRequest[];
  /** Closes the server and its open connections. A second call does nothing. */
  close(): Promise<void>;
}

/** Starts a server on a free local port. Only this function loads `node:http`, so the rest of the folder runs without Node. */
export async function serve(options: {
  /** The path after the address in {@link ProviderServer.baseURL}, such as `/v1`. */
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
      // A client that disconnects is not an error of the server.
      .catch(() => outgoing.destroy());
  });
  // A connection stays open as long as its client wants: one that the server closed after a pause, while a request was on the way to it,
  // would look like a fault that nobody asked for. Programs under test pause when their machine is busy.
  server.keepAliveTimeout = 0;
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
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    baseURL: `${url}${options.basePath}`,
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

/** Resolves when the text is handed to the operating system, because text written before a cut must arrive. */
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

/** Returns the servers' documented measure: four characters of JSON per token. */
export function tokensOf(value: unknown): number {
  return Math.ceil((JSON.stringify(value) ?? '').length / 4);
}
