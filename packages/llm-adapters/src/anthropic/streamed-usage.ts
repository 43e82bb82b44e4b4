import type Anthropic from '@anthropic-ai/sdk';
import { anthropicUsage } from '../wire/reported-usage.js';
import type { ReportedUsage } from '../wire/reported-usage.js';

/**
 * What a stream has counted by now: its start counts the input, its end everything, where the fields of the input may be null.
 * Servers that speak the protocol need not count.
 *
 * @see provider-rules A.9
 */
export class StreamedUsage {
  #usage: Readonly<Record<string, unknown>> = {};

  /** The usage after an event that says something new of it; undefined after any other. */
  read(event: Anthropic.MessageStreamEvent): ReportedUsage | undefined {
    const said: unknown =
      event.type === 'message_start' ? event.message.usage : event.type === 'message_delta' ? event.usage : undefined;
    if (typeof said !== 'object' || said === null) return undefined;
    const known = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null));
    this.#usage = { ...this.#usage, ...known };
    const { input_tokens, output_tokens } = this.#usage;
    const isCounted = Number.isInteger(input_tokens) && Number.isInteger(output_tokens);
    return isCounted ? anthropicUsage(this.#usage) : undefined;
  }
}
