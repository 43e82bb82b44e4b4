import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import { boundedBody } from './bounded-body.js';
import { FloodGate } from './flood-gate.js';
import { LogTail } from './log-tail.js';
import { MessageGate, mostMessageBytes } from './message-gate.js';
import type { ServerTransport } from './server-transport.js';

/** A broken stream is opened again no sooner and no later, whatever the server asks for. Unit: milliseconds. */
const [soonestMs, latestMs] = [1_000, 30_000];
/** How long a server may take to say goodbye. Unit: milliseconds. */
const goodbyeMs = 1_000;

/** The id of the request that a body is; undefined if it is none. */
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
    else if (verdict === 'pass') this.onmessage?.(this.gate.sound(message));
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
