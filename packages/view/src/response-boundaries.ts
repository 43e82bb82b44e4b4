import { isMeaningful } from '@palimpsest/events';
import type { ActionEvent, Event, MessageEvent } from '@palimpsest/events';

/** An event that a model made. */
export type AssistantEvent = ActionEvent | (MessageEvent & { readonly role: 'assistant' });

/** True for an event that a model made. */
export function isAssistantEvent(event: Event): event is AssistantEvent {
  return event.type === 'action' || (event.type === 'message' && event.role === 'assistant');
}

/**
 * Decides where one model response ends and the next one begins. No other code decides this. Servers repeat the ids of their
 * responses, and some send one id for all of them. So an event with the id of the newest response begins another response if
 * every call of the newest response is answered and there is evidence of another model call: a user message or an `llm-usage`
 * of purpose `agent` in between, or words or thinking on the event itself. A result alone is no evidence: a session may contain
 * calls of one response after the result of another call of the same response.
 */
export class ResponseBoundaries {
  #id: string | undefined;
  #isModelCalled = false;

  /** True if an assistant event begins a response. `isWaiting`: a call of the newest response has no result yet. */
  begins(event: AssistantEvent, isWaiting: boolean): boolean {
    const isSame = event.llmResponseId !== undefined && event.llmResponseId === this.#id;
    const begins = !isSame || (!isWaiting && (this.#isModelCalled || bringsWords(event)));
    this.#id = event.llmResponseId;
    this.#isModelCalled = false;
    return begins;
  }

  /** Records an event after which the next answer may be another response. */
  see(event: Event): void {
    if (event.type === 'llm-usage') this.#isModelCalled ||= event.purpose === 'agent';
    else if (event.type === 'message') this.#isModelCalled ||= event.source === 'user';
  }

  /** Ends the newest response, whatever the id of the next one. */
  end(): void {
    this.#id = undefined;
  }
}

/** True for an event that carries words. The first action of a response carries its words; a message always does. */
function bringsWords(event: AssistantEvent): boolean {
  return (
    event.type === 'message' ||
    event.thought.some(isMeaningful) ||
    (event.thinkingBlocks?.length ?? 0) > 0 ||
    (event.reasoningItems?.length ?? 0) > 0 ||
    (event.reasoningContent ?? '').trim() !== ''
  );
}
