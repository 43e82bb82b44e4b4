import type { Event, Message } from '@palimpsest/events';
import { promptToSend } from '@palimpsest/llm-adapters';
import type { SentPrompt } from '@palimpsest/llm-adapters';
import type { RenderOptions } from '@palimpsest/view';
import { composedMessages } from './composition.js';
import { ConversationStateProjection } from '../conversation-state.js';

/**
 * What each conversation of an agent sent last, for the provider's prompt cache. A memo and nothing more: what it does not
 * know, after a restart, is rendered from the log, and nothing but marks of the cache depends on it.
 */
export class SentPrompts {
  readonly #lastByLog = new WeakMap<Iterable<Event>, SentPrompt>();

  /**
   * The prompt with the hints that its cache needs, compared with what was sent last.
   *
   * @param render - how the log is rendered where nothing is known. What only the condenser's view showed, and no condensation
   *   says, differs then: the unchanged part ends there.
   */
  toSend(messages: readonly Message[], log: Iterable<Event>, render: RenderOptions): Required<SentPrompt> {
    return promptToSend(messages, this.#lastByLog.get(log) ?? sentBefore(log, render));
  }

  /** The provider has answered, and so has what it may cache. */
  answered(prompt: SentPrompt, log: Iterable<Event>): void {
    this.#lastByLog.set(log, prompt);
  }
}

/** What stood in the log before the newest answer was sent for it. */
function sentBefore(log: Iterable<Event>, render: RenderOptions): SentPrompt | undefined {
  const events = [...log];
  const answeredAt = events.findLastIndex((event) => event.type === 'llm-usage' && event.purpose === 'agent');
  if (answeredAt === -1) return undefined;
  const state = ConversationStateProjection.fromEvents(events.slice(0, answeredAt));
  const { view, standingWords: words } = state;
  return { messages: composedMessages(view, { words, log: state.log, render }) };
}
