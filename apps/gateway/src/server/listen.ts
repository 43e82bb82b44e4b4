import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { exchange } from './exchange.js';
import type { Handle } from './exchange.js';

/** A gateway that listens. */
export interface Listening {
  /** The address that clients send to, followed by a token: `http://127.0.0.1:4123`. */
  readonly origin: string;
  /** Breaks what is under way, and resolves when it has ended. */
  close(): Promise<void>;
}

/** Options of {@link listen}. */
export interface ListenOptions {
  /** The beginning of a path, and what answers behind it. Anything else is not found. */
  readonly routes: readonly { readonly token: string; readonly handle: Handle }[];
  /** @defaultValue any that is free */
  readonly port?: number | undefined;
  /** Called when a client has its whole answer. */
  readonly onAnswered?: (() => void) | undefined;
}

/** Clients and providers have limits of their own, and a model may think for minutes: there is none here, also for idle connections. */
const noLimits = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0, timeout: 0 };
/** Unit: bytes. Node's own is 16 KiB, which some clients' cookies exceed. */
const maxHeaderSize = 128 * 1024;

/** Listens on this machine alone. @throws what the system says when the port is taken */
export async function listen({ routes, port = 0, onAnswered }: ListenOptions): Promise<Listening> {
  const server = createServer({ ...noLimits, maxHeaderSize, insecureHTTPParser: false });
  const known = routes.map((route) => ({ ...route, digest: digestOf(route.token) }));
  const underWay = new Set<Promise<boolean>>();
  let own = '';
  server.on('request', (incoming, outgoing) => {
    const target = targetOf(incoming, own);
    // Every token is compared, and by its digest: the time that it takes tells nothing.
    const [route] =
      'token' in target ? known.filter(({ digest }) => timingSafeEqual(digest, digestOf(target.token))) : [];
    if (!('token' in target) || route === undefined) {
      const { status, text } = 'token' in target ? notFound : target;
      outgoing.writeHead(status, { 'content-type': 'text/plain' }).end(`${text}\n`);
      return;
    }
    const under = exchange(incoming, outgoing, { handle: route.handle, origin: `http://${own}`, path: target.path });
    underWay.add(under);
    void under.then((isAnswered) => {
      underWay.delete(under);
      if (isAnswered) onAnswered?.();
    });
  });
  // Only HTTP is understood here: a client that tries a WebSocket first goes on without.
  server.on('upgrade', (_, socket) => {
    socket.on('error', () => socket.destroy());
    socket.end('HTTP/1.1 426 Upgrade Required\r\nupgrade: HTTP/1.1\r\nconnection: upgrade, close\r\n\r\n');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  own = typeof address === 'object' && address !== null ? `127.0.0.1:${address.port}` : '';
  return {
    origin: `http://${own}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await Promise.all([closed, ...underWay]);
    },
  };
}

interface Refusal {
  readonly status: number;
  readonly text: string;
}

interface Target {
  readonly token: string;
  /** The path behind the token, with the query. */
  readonly path: string;
}

const notPlain: Refusal = { status: 400, text: 'Only a plain path is understood.' };
const notFound: Refusal = { status: 404, text: 'There is nothing here.' };

/** Looks at the raw request line, before anything makes a path plain. */
function targetOf({ method, url = '', headers }: IncomingMessage, own: string): Target | Refusal {
  // It would send a credential back.
  if (method === 'TRACE') return { status: 405, text: 'This method is not passed on.' };
  if (!url.startsWith('/') || url.startsWith('//') || url.includes('#')) return notPlain;
  const [path = ''] = url.split('?', 1);
  // Encoded slashes are paths only to some.
  if (/%2f|%5c/i.test(path) || new URL(path, 'http://localhost').pathname !== path) return notPlain;
  if (headers.host !== own && headers.host !== own.replace('127.0.0.1', 'localhost'))
    return { status: 403, text: 'This is another host.' };
  if (headers.origin !== undefined && headers.origin !== `http://${own}`)
    return { status: 403, text: 'A page of another origin may not ask.' };
  const [, token = ''] = path.split('/', 2);
  const rest = url.slice(token.length + 1);
  return { token, path: rest.startsWith('/') ? rest : `/${rest}` };
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
