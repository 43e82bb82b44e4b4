import { field } from '@palimpsest/messages';
import type { HostRequest } from '@palimpsest/plugin-kit';
import { isSent } from './codec/read-message.js';
import type { PiApi, PiContext, PiModel } from './pi-api.js';

/** Reads what pi says of a request: its model with the prices, its instructions and its tools. */
export class RequestFacts {
  readonly #pi: PiApi;
  readonly #ownTool: string;
  #tools: { readonly names: string; readonly tools: readonly unknown[] } = { names: '', tools: [] };

  /** @param ownTool - the tool that the kit counts itself */
  constructor(pi: PiApi, ownTool: string) {
    this.#pi = pi;
    this.#ownTool = ownTool;
  }

  of(ctx: PiContext): HostRequest {
    const { model } = ctx;
    return {
      ...(model === undefined
        ? {}
        : { model: modelOf(model, this.#pi.getSettings?.()), usdPerToken: (model.cost?.input ?? 0) / 1_000_000 }),
      system: ctx.getSystemPrompt(),
      tools: this.#toolsNow(),
      hasRecall: this.#pi.getActiveTools?.().includes(this.#ownTool) ?? true,
      signal: ctx.signal,
    };
  }

  /** The same list as long as the same tools are active. */
  #toolsNow(): readonly unknown[] {
    const active = (this.#pi.getActiveTools?.() ?? []).filter((name) => name !== this.#ownTool);
    const names = active.join(' ');
    if (names !== this.#tools.names) {
      const all = this.#pi.getAllTools?.() ?? [];
      const tools = all
        .filter(({ name }) => active.includes(name))
        .map(({ name, description, parameters }) => ({ name, description, parameters }));
      this.#tools = { names, tools };
    }
    return this.#tools.tools;
  }
}

/** Returns the facts of a model of pi. Prices of 0 are none. The window ends where pi would compact: condensation comes before. */
export function modelOf(model: PiModel, settings?: unknown): NonNullable<HostRequest['model']> {
  const { id, contextWindow = 0, cost, promptCache } = model;
  const window = contextWindow - reserveOf(model, field(settings, 'compaction'));
  // As pi chooses between the lives of the cache.
  const life = process.env['PI_CACHE_RETENTION'] === 'long' ? promptCache?.long : promptCache?.short;
  return {
    model: id,
    ...(window > 0 ? { contextWindow: window } : {}),
    ...(life === undefined ? {} : { cacheLifeMs: life * 1_000 }),
    ...(cost === undefined || !(cost.input > 0)
      ? {}
      : {
          prices: {
            // Where pi has no price for it, the provider asks that of any other input.
            read: cost.cacheRead > 0 ? cost.cacheRead / cost.input : 1,
            write: cost.cacheWrite > 0 ? cost.cacheWrite / cost.input : 1,
            output: cost.output / cost.input,
          },
        }),
  };
}

/** pi compacts where less than this is left of the window. Unit: tokens. */
const usualReserve = 16_384;

function reserveOf({ provider, id }: PiModel, compaction: unknown): number {
  if (field(compaction, 'enabled') === false) return 0;
  const ofModel = field(field(compaction, 'modelOverrides'), `${provider}/${id}`);
  const sizes = [field(ofModel, 'reserveTokens'), field(compaction, 'reserveTokens')];
  return sizes.find((size) => typeof size === 'number') ?? usualReserve;
}

/** Returns the usage of an answer, in the words of the Messages API. Undefined for any other message, and for an answer that failed. */
export function usageOf(message: unknown): object | undefined {
  if (field(message, 'role') !== 'assistant' || !isSent(message)) return undefined;
  const usage = field(message, 'usage');
  const [input, output] = [countIn(usage, 'input'), countIn(usage, 'output')];
  const [read, write] = [countIn(usage, 'cacheRead'), countIn(usage, 'cacheWrite')];
  // A server that counts nothing says nothing.
  if (input + read + write === 0) return undefined;
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: write,
  };
}

function countIn(usage: unknown, name: string): number {
  const count = field(usage, name);
  return typeof count === 'number' && count > 0 ? count : 0;
}
