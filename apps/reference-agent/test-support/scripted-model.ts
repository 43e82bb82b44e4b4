import { anthropicServer } from '@palimpsest/provider-servers';
import type { AnthropicReply, DeliveryFault, Faults, JsonObject, ProviderServer } from '@palimpsest/provider-servers';
import { onTestFinished, vi } from 'vitest';

/** The model's answer to one request. */
export interface Turn {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly Call[];
  /** The words of a refusal in place of an answer. @defaultValue none */
  readonly refusal?: string;
  /** What happens to the answer on its way. @defaultValue nothing */
  readonly delivery?: DeliveryFault;
}

/** A call of a tool. */
export interface Call {
  readonly name: string;
  readonly input: object;
}

/** Returns a call of a tool, for a {@link Turn}. */
export function use(name: string, input: object = {}): Call {
  return { name, input };
}

/** A model behind a real server, which enforces the rules of Anthropic's. The test says what it answers next. */
export class ScriptedModel {
  readonly #turns: (Turn | ((request: JsonObject) => Turn))[] = [];
  readonly #requests: JsonObject[] = [];
  #server: ProviderServer | undefined;
  /** What it answers where a condenser asks for a summary. */
  summary: Turn = { text: 'The parts were read, one after the other.' };

  /** Starts its server, until the end of the test. Unit of `contextWindow`: tokens. */
  static async start(
    options: { readonly contextWindow?: number; readonly faults?: Faults } = {},
  ): Promise<ScriptedModel> {
    const model = new ScriptedModel();
    const server = await anthropicServer({ ...options, reply: (body, index) => model.#reply(body, index) });
    onTestFinished(() => server.close());
    model.#server = server;
    return model;
  }

  get url(): string {
    return this.#server?.baseURL ?? '';
  }

  /** The requests of the agent so far, without those for summaries. */
  get requests(): readonly JsonObject[] {
    return this.#requests;
  }

  /** The newest request as text: what the model read last. */
  get lastRead(): string {
    return JSON.stringify(this.#requests.at(-1) ?? '');
  }

  /** Answers the next requests of the agent in this order. When nothing is left, it says so. */
  will(...turns: readonly (Turn | ((request: JsonObject) => Turn))[]): void {
    this.#turns.push(...turns);
  }

  /**
   * Resolves when the agent has asked the model so often.
   *
   * @throws after a minute
   */
  async asked(count: number): Promise<void> {
    await vi.waitUntil(() => this.#requests.length >= count, { timeout: 60_000, interval: 10 });
  }

  #reply(body: JsonObject, index: number): AnthropicReply {
    const isSummary = !('tools' in body);
    if (!isSummary) this.#requests.push(body);
    const next = isSummary ? this.summary : (this.#turns.shift() ?? { text: 'There is nothing more to do.' });
    const { thinking, text, calls = [], refusal, delivery } = typeof next === 'function' ? next(body) : next;
    if (refusal !== undefined) return { error: { status: 400, type: 'invalid_request_error', message: refusal } };
    return {
      content: [
        ...(thinking === undefined || !('thinking' in body) ? [] : [{ type: 'thinking', thinking, signature: '' }]),
        ...(text === undefined ? [] : [{ type: 'text', text }]),
        ...calls.map(({ name, input }, call) => ({ type: 'tool_use', id: `toolu_${index}_${call}`, name, input })),
      ],
      ...(delivery === undefined ? {} : { delivery }),
    };
  }
}

/** Returns a promise, and what fulfils it. */
export function gate(): { readonly until: Promise<void>; readonly open: () => void } {
  let open = () => {};
  const until = new Promise<void>((resolve) => (open = resolve));
  onTestFinished(() => open());
  return { until, open };
}
