import type { Usage } from '@palimpsest/events';
import type Anthropic from '@anthropic-ai/sdk';
import type { CostDetails } from '../prices.js';

/** What a provider counted, in one shape, and what its price depends on besides. */
export interface ReportedUsage {
  readonly usage: Usage;
  readonly details: CostDetails;
}

/** `input_tokens` leaves out what was cached. @see provider-protocol A.7 */
export function reportedUsage(usage: Anthropic.Usage): ReportedUsage {
  const reasoningTokens = usage.output_tokens_details?.thinking_tokens;
  return {
    usage: {
      uncachedInputTokens: usage.input_tokens,
      cacheReadTokens: usage.cache_read_input_tokens ?? 0,
      cacheWriteTokens: usage.cache_creation_input_tokens ?? 0,
      outputTokens: usage.output_tokens,
      ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
    },
    details: { cacheWrites: { '1h': usage.cache_creation?.ephemeral_1h_input_tokens ?? 0 } },
  };
}

/**
 * What a stream has counted by now: its start counts the input, its end everything, where the fields of the input may be null.
 * Servers that speak the protocol need not count.
 *
 * @see provider-protocol A.9
 */
export class StreamedUsage {
  #usage: Anthropic.Usage | undefined;

  /** The usage after an event that says something new of it; undefined after any other. */
  read(event: Anthropic.MessageStreamEvent): ReportedUsage | undefined {
    const said: unknown =
      event.type === 'message_start' ? event.message.usage : event.type === 'message_delta' ? event.usage : undefined;
    if (typeof said !== 'object' || said === null) return undefined;
    const known = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null));
    const usage = { ...this.#usage, ...known } as Anthropic.Usage;
    this.#usage = usage;
    const isCounted = Number.isInteger(usage.input_tokens) && Number.isInteger(usage.output_tokens);
    return isCounted ? reportedUsage(usage) : undefined;
  }
}
