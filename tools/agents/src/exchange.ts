import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { costOf, pricesAt } from '@palimpsest/llm-adapters';
import { anthropicUsage, openaiUsage } from '@palimpsest/llm-adapters/wire';
import { apiOf, bodyOf } from './api.js';
import type { ApiName } from './api.js';
import { providerHost } from './proxy.js';
import type { Certificate } from './proxy.js';

/** A request to the model of a run, and who asked. */
export type Asker = 'main' | 'errand' | 'summariser' | 'other';

/** A body in the form of the Messages API, as far as this tool reads it. */
export interface Body {
  readonly model?: string;
  readonly system?: unknown;
  readonly tools?: readonly Tool[];
  readonly messages?: readonly Message[];
}

export interface Tool {
  readonly name: string;
  readonly input_schema?: { readonly properties?: Readonly<Record<string, unknown>> };
  /** As another API declares it. */
  readonly declared?: unknown;
}

export interface Message {
  readonly role: string;
  readonly content: string | readonly Block[];
}

export interface Block {
  readonly type: string;
  readonly text?: string;
  /** Of a call. */
  readonly id?: string;
  readonly input?: unknown;
  /** Of a result. */
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
  readonly content?: string | readonly Block[];
  readonly source?: unknown;
}

/** One request of an agent with its answer. Unit of the counts: tokens, as the server counts them. */
export interface Exchange {
  /** The start of the agent that sent it, from 0. */
  readonly invocation: number;
  readonly asker: Asker;
  readonly body: Body;
  readonly status: number;
  /** The words of a refusal. */
  readonly refusal: string;
  readonly read: number;
  readonly written: number;
  readonly uncached: number;
  readonly output: number;
  /** Unit: US dollars. @defaultValue 0: no usage, or a model without a price */
  readonly usd?: number;
  /** Cache marks of the request. @defaultValue 0 */
  readonly cacheMarks?: number;
  /** True if it came through the gateway, which asks for answers without compression. @defaultValue false */
  readonly isThroughGateway?: boolean;
  /** The provider's key. @defaultValue none */
  readonly credential?: string;
}

/** A server between an agent and the model's server. It changes nothing, and records what passes. */
export interface Recorder {
  readonly url: string;
  readonly exchanges: readonly Exchange[];
  /** Paths of requests that the model's server does not serve. */
  readonly strayPaths: readonly string[];
  /** Begins the next invocation. */
  nextInvocation(): void;
  close(): Promise<void>;
}

/** Starts a {@link Recorder} on 127.0.0.1. @param certificate - it speaks TLS with it, as {@link providerHost}. @defaultValue it speaks HTTP */
export async function recorder(
  modelUrl: string,
  askerOf: (body: Body) => Asker,
  certificate?: Certificate,
): Promise<Recorder> {
  const exchanges: Exchange[] = [];
  const strayPaths: string[] = [];
  let invocation = -1;
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const sent = await text(incoming);
    const path = (incoming.url ?? '').replace(/\?.*/, '');
    const {
      host: _,
      connection: _connection,
      'content-length': _length,
      expect: _expect,
      ...headers
    } = incoming.headers;
    const response = await fetch(modelUrl + (incoming.url ?? ''), {
      method: incoming.method ?? 'GET',
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      ...(sent === '' ? {} : { body: sent }),
    });
    const answer = await response.text();
    const api = apiOf(path);
    if (api === undefined) {
      strayPaths.push(path);
    } else {
      const body = bodyOf(api, JSON.parse(sent));
      const { authorization, 'x-api-key': key = authorization } = incoming.headers;
      exchanges.push({
        ...{ invocation, asker: askerOf(body), body, status: response.status, ...countsOf(api, body, answer) },
        cacheMarks: sent.split('"cache_control":').length - 1,
        isThroughGateway: incoming.headers['accept-encoding'] === 'identity',
        credential: String(key),
      });
    }
    const type = response.headers.get('content-type') ?? 'application/json';
    const wait = response.headers.get('retry-after');
    outgoing.writeHead(response.status, { 'content-type': type, ...(wait === null ? {} : { 'retry-after': wait }) });
    outgoing.end(answer);
  };
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // An answer that the model's server cuts is cut here, too.
    pass(incoming, outgoing).catch(() => outgoing.destroy());
  };
  const server = certificate === undefined ? createServer(onRequest) : createTlsServer(certificate, onRequest);
  // As the gateway: a client that tries a WebSocket first goes on without.
  server.on('upgrade', (_, socket: Socket) => socket.end('HTTP/1.1 426 Upgrade Required\r\nconnection: close\r\n\r\n'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: certificate === undefined ? `http://127.0.0.1:${port}` : `https://${providerHost}:${port}`,
    exchanges,
    strayPaths,
    nextInvocation: () => void invocation++,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Frame {
  readonly usage?: object | null;
  /** Of a stream of Messages. */
  readonly message?: { readonly usage?: object } | string;
  /** Of a stream of Responses. */
  readonly response?: { readonly usage?: object | null; readonly error?: { readonly message?: string } | null };
  readonly error?: { readonly message?: string } | null;
}

/** Reads the counts of an answer, streamed or whole. */
function countsOf(
  api: ApiName,
  { model = '' }: Body,
  answer: string,
): Pick<Exchange, 'refusal' | 'read' | 'written' | 'uncached' | 'output' | 'usd'> {
  const texts = answer.startsWith('{')
    ? [answer]
    : [...answer.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => data ?? '');
  const frames = texts.map((each) => JSON.parse(each) as Frame);
  const reported = frames.reduce((sum, { usage, message, response }) => {
    const begun = typeof message === 'object' ? message.usage : undefined;
    return { ...sum, ...begun, ...response?.usage, ...usage };
  }, {});
  const read = api === 'messages' ? anthropicUsage(reported) : openaiUsage(reported);
  const prices = pricesAt(model, new Date());
  return {
    refusal: frames.map(({ error, response }) => (error ?? response?.error)?.message).find(Boolean) ?? '',
    read: read?.usage.cacheReadTokens ?? 0,
    written: read?.usage.cacheWriteTokens ?? 0,
    uncached: read?.usage.uncachedInputTokens ?? 0,
    output: read?.usage.outputTokens ?? 0,
    usd: read === undefined || prices === undefined ? 0 : costOf(read.usage, prices, read),
  };
}
