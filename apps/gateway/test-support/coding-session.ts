import { memoryEventStore } from '@palimpsest/events';
import { anthropicServer } from '@palimpsest/provider-servers';
import type { AnthropicServerOptions, ProviderServer } from '@palimpsest/provider-servers';
import { gatewayOf } from '../src/core/gateway.js';
import type { GatewayOptions } from '../src/core/gateway.js';
import type { Upstream } from '../src/core/upstream-request.js';
import type { Receipt } from '../src/receipts/receipt.js';
import { withMark } from './marked.js';

/** The way to a server of this process. */
export const upstreamOf =
  (baseURL: string): Upstream =>
  ({ method, path, headers, body, signal }) =>
    fetch(new URL(path, baseURL), { method, headers, body: body ?? null, signal, duplex: 'half' });

/** A file of which no two lines are equal. Unit of the size: some 1,500 tokens. */
export function fileText(step: number): string {
  return Array.from({ length: 150 }, (_, line) => `export const price${step}_${line} = ${step * line};`).join('\n');
}

/** A client that reads one file at each step, through a gateway of its own. */
export class CodingSession {
  readonly receipts: Receipt[] = [];
  readonly messages: object[] = [{ role: 'user', content: 'Read all files of the shop.' }];
  readonly server: ProviderServer;
  #gateway: (request: Request) => Promise<Response>;
  readonly #options: Omit<GatewayOptions, 'upstream'>;

  constructor(server: ProviderServer, options: Partial<GatewayOptions> = {}) {
    this.server = server;
    this.#options = { store: memoryEventStore(), onReceipt: (receipt) => this.receipts.push(receipt), ...options };
    this.#gateway = this.#start();
  }

  #start() {
    return gatewayOf({ upstream: upstreamOf(this.server.baseURL), ...this.#options });
  }

  /** Begins a new gateway on the same store, as after a crash. */
  restart(changes: Partial<GatewayOptions> = {}): void {
    Object.assign(this.#options, changes);
    this.#gateway = this.#start();
  }

  post(path: string, body: object, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
    return this.#gateway(
      new Request(`http://localhost${path}`, {
        method: 'POST',
        headers: {
          'x-api-key': 'a-key',
          'anthropic-version': '2023-06-01',
          'content-type': 'application/json',
          ...headers,
        },
        body: JSON.stringify(body),
        signal: signal ?? null,
      }),
    );
  }

  /** The body of the next request, as the client writes it: with its mark on the last message. */
  body(changes: object = {}): object {
    const messages = this.messages.map((message, index) =>
      index === this.messages.length - 1 ? withMark(message) : message,
    );
    return {
      model: 'claude-opus-4-5',
      max_tokens: 1_000,
      system: 'You work on a shop.',
      tools: [{ name: 'read', input_schema: { type: 'object' } }],
      messages,
      ...changes,
    };
  }

  /** Sends the list, and takes the answer and the results into it. */
  async step(changes: object = {}, headers: Record<string, string> = {}): Promise<Response> {
    const response = await this.post('/v1/messages', this.body(changes), headers);
    const text = await response.text();
    if (response.ok) {
      // Of a stream it is known what it says.
      const content = text.startsWith('event') ? readingOf(this.server.requests.length - 1) : contentOf(text);
      this.messages.push({ role: 'assistant', content });
      const results = content
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, input }) => ({ type: 'tool_result', tool_use_id: id, content: fileText(input.file) }));
      this.messages.push({ role: 'user', content: results });
    }
    return response;
  }

  async steps(count: number): Promise<void> {
    for (let step = 0; step < count; step++) await this.step();
  }

  get condensed(): readonly Receipt[] {
    return this.receipts.filter(({ condensations }) => condensations.length > 0);
  }
}

/** A server whose model reads one file after the other. */
export function readingServer(options: Partial<AnthropicServerOptions> = {}): Promise<ProviderServer> {
  return anthropicServer({
    reply: (_, index) => ({ content: readingOf(index) }),
    ...options,
  });
}

function readingOf(index: number) {
  return [{ type: 'tool_use' as const, id: `toolu_${index}`, name: 'read', input: { file: index } }];
}

function contentOf(text: string): ReturnType<typeof readingOf> {
  return (JSON.parse(text) as { content: ReturnType<typeof readingOf> }).content;
}
