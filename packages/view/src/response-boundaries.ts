import { isMeaningful } from '@palimpsest/events';
import type { ActionEvent, Event, MessageEvent } from '@palimpsest/events';

/** An event that a model made. */
export type AssistantEvent = ActionEvent | (MessageEvent & { readonly role: 'assistant' });

/** True for an event that a model made. */
export function isAssistantEvent(event: Event): event is AssistantEvent {
  return event.type === 'action' || (event.type === 'message' && event.role === 'assistant');
}

/**
 * Decides where one model response ends and the next one begins: the only place that does. Servers repeat the ids of their
 * responses, some send one id for all of them, so an id that is the newest response's own begins another response where every
 * call of that one is answered and there is evidence of another model call: the user spoke in between, an `llm-usage` of
 * purpose `agent` lies in between, or the event brings words or thinking of its own. A result alone says nothing: a session
 * may hold calls of one response behind the result of another call of it.
 */
export class ResponseBoundaries {
  #id: string | undefined;
  #isModelCalled = false;

  /** True where an event that a model made begins a response. `isWaiting`: a call of the newest response has no result yet. */
  begins(event: AssistantEvent, isWaiting: boolean): boolean {
    const isSame = event.llmResponseId !== undefined && event.llmResponseId === this.#id;
    const begins = !isSame || (!isWaiting && (this.#isModelCalled || bringsWords(event)));
    this.#id = event.llmResponseId;
    this.#isModelCalled = false;
    return begins;
  }

  /** Takes in an event after which the next answer may be another response. */
  see(event: Event): void {
    if (event.type === 'llm-usage') this.#isModelCalled ||= event.purpose === 'agent';
    else if (event.type === 'message') this.#isModelCalled ||= event.source === 'user';
  }

  /** Ends the newest response, whatever the id of the next one. */
  end(): void {
    this.#id = undefined;
  }
}

/** Words stand on the first action of a response, so an action that brings some is one; a message is words by itself. */
function bringsWords(event: AssistantEvent): boolean {
  return (
    event.type === 'message' ||
    event.thought.some(isMeaningful) ||
    (event.thinkingBlocks?.length ?? 0) > 0 ||
    (event.reasoningItems?.length ?? 0) > 0 ||
    (event.reasoningContent ?? '').trim() !== ''
  );
}
