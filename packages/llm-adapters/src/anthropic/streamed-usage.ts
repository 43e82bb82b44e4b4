import type Anthropic from '@anthropic-ai/sdk';
import { anthropicUsage } from '../wire/reported-usage.js';
import type { ReportedUsage } from '../wire/reported-usage.js';

/**
 * The usage that a stream has reported so far. Its start reports the input; its end reports everything, and its input fields
 * may be null. Other servers with this protocol may report no usage.
 *
 * @see provider-rules A.9
 */
export class StreamedUsage {
  #usage: Readonly<Record<string, unknown>> = {};

  /** All that was reported, in the provider's form. */
  get reported(): Readonly<Record<string, unknown>> {
    return this.#usage;
  }

  /** The usage after an event that changes it; undefined after any other event. */
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
