import type { IncomingMessage } from 'node:http';

/** A request as it arrived. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The parsed JSON; undefined when it does not parse. */
  readonly body: unknown;
}

/** What the server sends back. */
export interface ServerResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** An error to answer with, in whichever shape the provider has for it. */
export interface ServerError {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  /** For example `retry-after`; `x-should-retry: false` keeps an SDK from trying again. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server on this machine that speaks a provider's protocol. */
export interface ProviderServer {
  /** What an adapter is given as `baseURL`. */
  readonly url: string;
  /** Every request so far, refused ones too. */
  readonly requests: readonly ReceivedRequest[];
  /** Ends it, open connections too. */
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
        body: { error: { type: 'test', message: String(error) } },
      }))
      .then(({ status, headers, body }) => {
        outgoing.writeHead(status, { 'content-type': 'application/json', ...headers });
        outgoing.end(JSON.stringify(body));
      })
      // A client that went away is its own affair.
      .catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}${options.basePath}`,
    requests,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}

async function received(incoming: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
  const text = Buffer.concat(chunks).toString('utf8');
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
    body: parsed(text),
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
