import { isLLMConvertible, isMeaningful } from '@palimpsest/events';
import type { ActionEvent, Event, EventId, MessageEvent, SystemPromptEvent } from '@palimpsest/events';
import { ViewProjection } from '@palimpsest/view';
import type { View, ViewOptions } from '@palimpsest/view';

/** What a step needs to know of a conversation. */
export interface ConversationState {
  readonly conversationId?: string;
  /** All events, oldest first: one object that grows with the conversation. */
  readonly log: Iterable<Event>;
  /** What the model will be shown, before this step's condenser. */
  readonly view: View;
  /** Actions of the last response that have no result yet, oldest first. */
  readonly pendingActions: readonly ActionEvent[];
  /** Condensations since the model last answered, the user last asked for something, or a run failed. */
  readonly condensationsInARow: number;
}

/** A {@link ConversationState} that is kept up to date event by event. An append costs O(1) amortised. */
export class ConversationStateProjection implements ConversationState {
  readonly conversationId?: string;
  readonly #events: Event[] = [];
  readonly #view: ViewProjection;
  readonly #pending = new Map<EventId, ActionEvent>();
  #condensationsInARow = 0;
  #lastResponseId: string | undefined;
  #systemPrompt: SystemPromptEvent | undefined;
  #latestUserMessage: MessageEvent | undefined;
  #endsInAnswer = false;

  constructor(options: { readonly conversationId?: string; readonly view?: ViewOptions } = {}) {
    if (options.conversationId !== undefined) this.conversationId = options.conversationId;
    this.#view = new ViewProjection(options.view);
  }

  /** The state after these events. */
  static fromEvents(events: Iterable<Event>, options?: { readonly view?: ViewOptions }): ConversationStateProjection {
    const state = new ConversationStateProjection(options);
    for (const event of events) state.append(event);
    return state;
  }

  get log(): Iterable<Event> {
    return this.#events;
  }

  get view(): View {
    return this.#view.view;
  }

  get pendingActions(): readonly ActionEvent[] {
    return [...this.#pending.values()];
  }

  get condensationsInARow(): number {
    return this.#condensationsInARow;
  }

  /** The instructions in force. */
  get systemPrompt(): SystemPromptEvent | undefined {
    return this.#systemPrompt;
  }

  /** The newest message whose source is the user. */
  get latestUserMessage(): MessageEvent | undefined {
    return this.#latestUserMessage;
  }

  /** True when the last thing that anybody said or did is an answer of the model in words: there is nothing to go on with. */
  get endsInAnswer(): boolean {
    return this.#endsInAnswer;
  }

  append(event: Event): void {
    this.#events.push(event);
    this.#view.append(event);
    if (isLLMConvertible(event)) {
      this.#endsInAnswer = event.type === 'message' && event.source === 'agent' && event.content.some(isMeaningful);
    }
    switch (event.type) {
      case 'system-prompt':
        this.#systemPrompt = event;
        break;
      case 'condensation':
        this.#condensationsInARow++;
        break;
      case 'action':
        this.#beginResponse(event.llmResponseId);
        this.#pending.set(event.id, event);
        break;
      case 'message':
        if (event.source === 'agent') this.#beginResponse(event.llmResponseId ?? event.id);
        if (event.source === 'user') {
          this.#latestUserMessage = event;
          this.#condensationsInARow = 0;
        }
        break;
      case 'condensation-request':
        if (event.source === 'user') this.#condensationsInARow = 0;
        break;
      case 'conversation-error':
        // A host that runs again has changed something, or means to try again.
        this.#condensationsInARow = 0;
        break;
      case 'observation':
      case 'user-reject-observation':
      case 'agent-error':
        this.#answer(event.actionId, event.toolCallId);
        break;
      default:
        break;
    }
  }

  /** A response of the model seals the one before it: what that one left unanswered is abandoned, never run late. */
  #beginResponse(responseId: string): void {
    this.#condensationsInARow = 0;
    if (responseId === this.#lastResponseId) return;
    this.#lastResponseId = responseId;
    this.#pending.clear();
  }

  #answer(actionId: EventId | undefined, toolCallId: string): void {
    if (actionId !== undefined && this.#pending.delete(actionId)) return;
    // Logs of others may name the call only. At most one batch is open, so this stays small.
    for (const [id, action] of this.#pending) {
      if (action.toolCall.id === toolCallId) {
        this.#pending.delete(id);
        return;
      }
    }
  }
}
