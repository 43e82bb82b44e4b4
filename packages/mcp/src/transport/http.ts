import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import { FloodGate, LogTail, MessageGate, mostMessageBytes } from './gate.js';
import type { ServerTransport } from './gate.js';

/** The bounds of a response. */
export interface BodyBounds {
  /** The longest message: a whole body, or one event of a stream. Unit: bytes. */
  readonly most: number;
  /** Called with the length of each piece of a stream; false if there were too many. */
  readonly take: (bytes: number) => boolean;
  /** The message that stands for one that is too long, with which the body then ends. Undefined: the bound is exceeded. */
  readonly standIn: () => string | undefined;
  /** Called once, when a bound is exceeded; the body then fails. */
  readonly exceeded: (problem: string) => void;
}

/** A blank line ends an event. */
const ends = ['\n\n', '\r\n\r\n', '\r\r'];

/** Returns the same response, whose body ends or fails where it exceeds its bounds. */
export function boundedBody(response: Response, { most, take, standIn, exceeded }: BodyBounds): Response {
  if (response.body === null) return response;
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
  let length = 0;
  /** The pieces of a body that is one message: nobody can read a part of it. */
  let held: Uint8Array[] = [];
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const end = isStream ? Math.max(...ends.map((each) => bytes.lastIndexOf(each))) : -1;
      length = end === -1 ? length + bytes.length : bytes.length - end;
      const isTooLong = length > most;
      if (!isTooLong && !isStream) return void held.push(chunk);
      if (!isTooLong && take(bytes.length)) return controller.enqueue(chunk);
      held = [];
      const instead = isTooLong ? standIn() : undefined;
      if (instead !== undefined) {
        // The event that has begun ends first; it is no message.
        controller.enqueue(Buffer.from(isStream ? `\n\ndata: ${instead}\n\n` : instead));
        return controller.terminate();
      }
      const problem = isTooLong ? `sent a message of more than ${most / 2 ** 20} MiB` : 'sent without end';
      exceeded(problem);
      controller.error(new Error(problem));
    },
    flush(controller) {
      for (const chunk of held) controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
}

/** A broken stream is opened again no sooner and no later, whatever the server asks for. Unit: milliseconds. */
const [soonestMs, latestMs] = [1_000, 30_000];
/** The time that a server has to say goodbye. Unit: milliseconds. */
const goodbyeMs = 1_000;

/** Returns the id of the request that a body is; undefined if it is none. */
function idIn(body: unknown): unknown {
  return typeof body === 'string' ? (JSON.parse(body) as { readonly id?: unknown }).id : undefined;
}

/** A server with an address: the SDK's transport, with bounds on what the server may send. */
export class HttpTransport implements Transport, ServerTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];

  readonly gate = new MessageGate();
  readonly log = new LogTail();
  readonly hasPerRequestStream = true;
  problem: string | undefined;
  isFlooded = false;
  /** The status of the last answer that was none: 404 says that the session is over. */
  lastStatus: number | undefined;

  readonly #inner: StreamableHTTPClientTransport;
  #isClosed = false;

  constructor(url: URL, headers: Readonly<Record<string, string>>) {
    const bytes = new FloodGate(16 * mostMessageBytes, mostMessageBytes);
    this.#inner = new StreamableHTTPClientTransport(url, {
      requestInit: { headers: { ...headers } },
      fetch: async (address, init) => {
        const response = await fetch(address, init);
        if (!response.ok) this.lastStatus = response.status;
        return boundedBody(response, {
          most: mostMessageBytes,
          take: (length) => bytes.take(length),
          standIn: () => this.gate.standIn(idIn(init?.body)),
          exceeded: (problem) => this.#flood(problem),
        });
      },
      reconnectionScheduler: (reconnect, delay) => {
        const timer = setTimeout(reconnect, Math.min(latestMs, Math.max(soonestMs, delay)));
        timer.unref();
        return () => clearTimeout(timer);
      },
    });
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  async start(): Promise<void> {
    this.#inner.onmessage = (message) => this.#take(message);
    this.#inner.onerror = (error) => {
      // A server can cause one with each of its messages.
      if (this.gate.noise(0) === 'flood') this.#flood('sent what is no message without end');
      else this.onerror?.(error);
    };
    this.#inner.onclose = () => this.#end();
    await this.#inner.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    this.gate.sent(message);
    await this.#inner.send(message, options);
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.problem ??= 'was closed.';
    if (!this.isFlooded && this.sessionId !== undefined) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, goodbyeMs);
      });
      await Promise.race([this.#inner.terminateSession().catch(() => undefined), late]);
      clearTimeout(timer);
    }
    await this.#inner.close();
  }

  #take(message: JSONRPCMessage): void {
    if (this.#isClosed) return;
    const verdict = this.gate.judge(message, 0);
    if (verdict === 'flood') this.#flood('sent messages without end');
    else if (verdict === 'pass') this.onmessage?.(this.gate.withValidTools(message));
  }

  #flood(problem: string): void {
    if (this.#isClosed) return;
    this.problem ??= `${problem}, and was left.`;
    this.isFlooded = true;
    void this.#inner.close();
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.problem ??= 'closed the connection.';
    this.onclose?.();
  }
}
