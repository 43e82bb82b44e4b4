import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { UpstreamError } from './upstream-error.js';

const noBytes = new Uint8Array();

/** Answers a request. */
export type Handle = (request: Request) => Promise<Response>;

/** Options of {@link exchange}. */
export interface ExchangeOptions {
  readonly handle: Handle;
  readonly origin: string;
  /** Of the request, without the token. */
  readonly path: string;
}

/**
 * Answers a client. The bytes of the answer pass as they come, and no faster than the client takes them. Never rejects.
 *
 * @returns true if the client has the whole answer.
 */
export async function exchange(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { handle, origin, path }: ExchangeOptions,
): Promise<boolean> {
  const aborted = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) aborted.abort();
  });
  try {
    const response = await handle(requestOf(incoming, `${origin}${path}`, aborted.signal));
    outgoing.writeHead(response.status, headersOf(response.headers));
    // Bytes make Node write the headers now, and as Latin-1: with `flushHeaders` they would be UTF-8.
    outgoing.write(noBytes);
    if (response.body === null) outgoing.end();
    else await pipeline(Readable.fromWeb(response.body), outgoing);
    return true;
  } catch (error) {
    // A client whose answer has begun is told by a broken connection.
    if (outgoing.headersSent || aborted.signal.aborted) outgoing.destroy();
    else refuse(outgoing, problemOf(error), isOfMessages(path, incoming));
    return false;
  }
}

function requestOf(incoming: IncomingMessage, url: string, signal: AbortSignal): Request {
  const { method = 'GET', headers } = incoming;
  const received = new Headers();
  for (const [name, value = ''] of Object.entries(headers))
    for (const one of Array.isArray(value) ? value : [value]) received.append(name, one);
  const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
  const body = isEmpty || method === 'GET' || method === 'HEAD' ? null : Readable.toWeb(incoming);
  return new Request(url, { method, headers: received, body, signal, duplex: 'half', redirect: 'manual' });
}

/** They belong to one connection. No trailer passes. */
const ownOfConnection = ['connection', 'keep-alive', 'proxy-connection', 'trailer', 'transfer-encoding', 'upgrade'];

function headersOf(headers: Headers): Record<string, string | string[]> {
  const named = (headers.get('connection') ?? '').toLowerCase().split(/[,\s]+/);
  const passed: Record<string, string | string[]> = {};
  for (const [name, value] of headers)
    if (!ownOfConnection.includes(name) && !named.includes(name))
      passed[name] = name === 'set-cookie' ? headers.getSetCookie() : value;
  return passed;
}

/** Returns a sentence for the client. The text of an error that is not ours may quote a request, and is none. */
function problemOf(error: unknown): string {
  if (error instanceof UpstreamError) return error.message;
  return `The gateway has failed: ${error instanceof Error ? error.name : 'Error'}.`;
}

/** Returns true if the client expects errors in the form of Anthropic. */
function isOfMessages(path: string, { headers }: IncomingMessage): boolean {
  return headers['anthropic-version'] !== undefined || /\/messages(?:$|[/?])/.test(path);
}

/** Answers in the place of the provider, in its form. */
function refuse(outgoing: ServerResponse, message: string, isMessages: boolean): void {
  const body = isMessages
    ? { type: 'error', error: { type: 'api_error', message } }
    : { error: { message, type: 'server_error', param: null, code: 'bad_gateway' } };
  outgoing.writeHead(502, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
