import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';

/** A gateway that listens. */
export interface Listening {
  /** Where clients send to, in the place of the provider's base URL: `http://127.0.0.1:4123/TOKEN`. */
  readonly url: string;
  close(): Promise<void>;
}

/** Options of {@link listen}. */
export interface ListenOptions {
  readonly handle: (request: Request) => Promise<Response>;
  /** What a path has to begin with. Without it nothing is found. */
  readonly token: string;
  /** @defaultValue any that is free */
  readonly port?: number | undefined;
}

/** Longer than clients keep a connection, so that none is closed under a request. Unit: milliseconds. */
const keepAliveTimeout = 120_000;

/** Listens on this machine alone. @throws what the system says when the port is taken */
export async function listen({ handle, token, port = 0 }: ListenOptions): Promise<Listening> {
  const server = createServer({ keepAliveTimeout, requestTimeout: 0, headersTimeout: 60_000 });
  let own = '';
  server.on('request', (incoming, outgoing) => {
    const refused = refusal(incoming, own, token);
    if (refused !== undefined) return end(outgoing, refused);
    void exchange(incoming, outgoing, { handle, path: (incoming.url ?? '').slice(token.length + 1), own });
  });
  // Only HTTP is understood here: a client that tries a WebSocket first goes on without.
  server.on('upgrade', (_, socket) => socket.end('HTTP/1.1 426 Upgrade Required\r\nconnection: close\r\n\r\n'));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  own = typeof address === 'object' && address !== null ? `127.0.0.1:${address.port}` : '';
  return {
    url: `http://${own}/${token}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Refusal {
  readonly status: number;
  readonly text: string;
}

/** Looks at the raw request line, before anything makes a path plain. */
function refusal({ url = '', headers }: IncomingMessage, own: string, token: string): Refusal | undefined {
  if (!url.startsWith('/') || url.startsWith('//')) return { status: 400, text: 'Only a plain path is understood.' };
  const [path = ''] = url.split('?');
  if (/%2e|%2f|%5c|\\/i.test(path) || path.split('/').some((part) => part === '.' || part === '..'))
    return { status: 400, text: 'Only a plain path is understood.' };
  if (headers.host !== own && headers.host !== own.replace('127.0.0.1', 'localhost'))
    return { status: 403, text: 'This is another host.' };
  if (headers.origin !== undefined && headers.origin !== `http://${own}`)
    return { status: 403, text: 'A page of another origin may not ask.' };
  return path.startsWith(`/${token}/`) ? undefined : { status: 404, text: 'There is nothing here.' };
}

function end(outgoing: ServerResponse, { status, text }: Refusal): void {
  outgoing.writeHead(status, { 'content-type': 'text/plain' }).end(`${text}\n`);
}

async function exchange(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { handle, path, own }: { readonly handle: ListenOptions['handle']; readonly path: string; readonly own: string },
): Promise<void> {
  const aborted = new AbortController();
  outgoing.once('close', () => aborted.abort());
  try {
    const response = await handle(requestOf(incoming, `http://${own}${path}`, aborted.signal));
    outgoing.writeHead(response.status, headersOf(response));
    outgoing.flushHeaders();
    if (response.body === null) outgoing.end();
    else for await (const chunk of response.body) outgoing.write(chunk);
    outgoing.end();
  } catch (error) {
    // A client whose answer has begun is told by a broken connection.
    if (outgoing.headersSent) outgoing.destroy();
    else badGateway(outgoing, path, error);
  }
}

function requestOf(incoming: IncomingMessage, url: string, signal: AbortSignal): Request {
  const { method = 'GET', headers } = incoming;
  const has = method !== 'GET' && method !== 'HEAD';
  const received = new Headers();
  for (const [name, value = ''] of Object.entries(headers))
    for (const one of Array.isArray(value) ? value : [value]) received.append(name, one);
  const init = { method, headers: received, body: has ? Readable.toWeb(incoming) : null, signal, duplex: 'half' };
  return new Request(url, init as RequestInit);
}

function headersOf(response: Response): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of response.headers) {
    if (['connection', 'keep-alive', 'transfer-encoding'].includes(name)) continue;
    headers[name] = name === 'set-cookie' ? response.headers.getSetCookie() : value;
  }
  return headers;
}

/** The provider could not be reached. The client reads that in the provider's form. */
function badGateway(outgoing: ServerResponse, path: string, error: unknown): void {
  const message = `The provider could not be reached: ${error instanceof Error ? error.message : String(error)}`;
  const body = path.startsWith('/v1/messages')
    ? { type: 'error', error: { type: 'api_error', message } }
    : { error: { type: 'server_error', code: 'bad_gateway', message } };
  outgoing.writeHead(502, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
