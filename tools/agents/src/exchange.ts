import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** A request to the model of a run, and who asked. */
export type Asker = 'main' | 'errand' | 'summariser' | 'other';

/** A body of the Messages API, as far as this tool reads it. */
export interface Body {
  readonly model?: string;
  readonly system?: unknown;
  readonly tools?: readonly Tool[];
  readonly messages?: readonly Message[];
}

export interface Tool {
  readonly name: string;
  readonly input_schema?: { readonly properties?: Readonly<Record<string, unknown>> };
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

/** Starts a {@link Recorder} on 127.0.0.1. */
export async function recorder(modelUrl: string, askerOf: (body: Body) => Asker): Promise<Recorder> {
  const exchanges: Exchange[] = [];
  const strayPaths: string[] = [];
  let invocation = -1;
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const sent = await text(incoming);
    const path = (incoming.url ?? '').replace(/\?.*/, '');
    const { host: _, connection: _connection, 'content-length': _length, ...headers } = incoming.headers;
    const response = await fetch(modelUrl + (incoming.url ?? ''), {
      method: incoming.method ?? 'GET',
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      ...(sent === '' ? {} : { body: sent }),
    });
    const answer = await response.text();
    if (path !== '/v1/messages') {
      strayPaths.push(path);
    } else {
      const body = JSON.parse(sent) as Body;
      exchanges.push({ invocation, asker: askerOf(body), body, status: response.status, ...countsOf(answer) });
    }
    const type = response.headers.get('content-type') ?? 'application/json';
    const wait = response.headers.get('retry-after');
    outgoing.writeHead(response.status, { 'content-type': type, ...(wait === null ? {} : { 'retry-after': wait }) });
    outgoing.end(answer);
  };
  const server = createServer((incoming, outgoing) => {
    // An answer that the model's server cuts is cut here, too.
    pass(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
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

interface Usage {
  readonly input_tokens?: number;
  readonly cache_read_input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly output_tokens?: number;
}

interface Frame {
  readonly usage?: Usage;
  readonly message?: { readonly usage?: Usage };
  readonly error?: { readonly message?: string };
}

/** Reads the counts of an answer, streamed or whole. */
function countsOf(answer: string): Omit<Exchange, 'invocation' | 'asker' | 'body' | 'status'> {
  const texts = answer.startsWith('{')
    ? [answer]
    : [...answer.matchAll(/^data: (.*)$/gm)].map(([, data]) => data ?? '');
  const frames = texts.map((each) => JSON.parse(each) as Frame);
  const usage = frames.reduce<Usage>((sum, { usage, message }) => ({ ...sum, ...message?.usage, ...usage }), {});
  return {
    refusal: frames.find(({ error }) => error !== undefined)?.error?.message ?? '',
    read: usage.cache_read_input_tokens ?? 0,
    written: usage.cache_creation_input_tokens ?? 0,
    uncached: usage.input_tokens ?? 0,
    output: usage.output_tokens ?? 0,
  };
}
