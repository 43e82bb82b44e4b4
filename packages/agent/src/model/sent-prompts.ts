import type { Event, Message } from '@palimpsest/events';
import { promptToSend } from '@palimpsest/llm-adapters';
import type { SentPrompt } from '@palimpsest/llm-adapters';
import type { RenderOptions } from '@palimpsest/view';
import { ConversationStateProjection } from '../state.js';
import { composedMessages } from './composition.js';

/**
 * The newest prompt of each conversation of an agent, for the provider's prompt cache. It is a memo: a prompt that it does
 * not know, after a restart, is rendered from the log, and only the marks of the cache depend on it.
 */
export class SentPrompts {
  readonly #lastByLog = new WeakMap<Iterable<Event>, SentPrompt>();

  /**
   * Returns the prompt with hints for the provider's cache, compared with the newest one.
   *
   * @param render - how the log is rendered when no prompt is known. If a condenser's view differed from the log's without a
   *   condensation, the unchanged part ends there.
   */
  toSend(messages: readonly Message[], log: Iterable<Event>, render: RenderOptions): Required<SentPrompt> {
    return promptToSend(messages, this.#lastByLog.get(log) ?? promptOfNewestAnswer(log, render));
  }

  /** Remembers a prompt that the provider has answered, and may have cached. */
  answered(prompt: SentPrompt, log: Iterable<Event>): void {
    this.#lastByLog.set(log, prompt);
  }
}

/** Returns the prompt of the newest answer in the log. */
function promptOfNewestAnswer(log: Iterable<Event>, render: RenderOptions): SentPrompt | undefined {
  const events = [...log];
  const answeredAt = events.findLastIndex((event) => event.type === 'llm-usage' && event.purpose === 'agent');
  if (answeredAt === -1) return undefined;
  const state = ConversationStateProjection.fromEvents(events.slice(0, answeredAt));
  const { view, messagesInForce: inForce } = state;
  return { messages: composedMessages(view, { inForce, log: state.log, render }) };
}
