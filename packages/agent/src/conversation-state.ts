import { isLLMConvertible, isUserMessage } from '@palimpsest/events';
import type { ActionEvent, Event, EventId, MessageEvent, SystemPromptEvent } from '@palimpsest/events';
import { ViewProjection } from '@palimpsest/view';
import type { View, ViewOptions } from '@palimpsest/view';
import { isEmpty } from './condensing/condense-once.js';
import { begunBy, confirmedBy, releasedBy } from './confirmation.js';
import { answerAfter } from './model/final-answer.js';
import type { LastAnswer } from './model/final-answer.js';
import { isRefusalNote } from './model/refusal-note.js';
import { noStandingWords, standingWordsAfter } from './model/standing-words.js';
import type { StandingWords } from './model/standing-words.js';
import { turnsThinkingOff } from './model/thinking-off.js';

/** The longest pattern takes fewer, though notes and usage stand between its actions. Unit: events. */
const recentEvents = 100;

/** What a step reads of a conversation. */
export interface ConversationState {
  readonly conversationId?: string;
  /** All events, oldest first. Always the same object: it grows with the conversation. */
  readonly log: Iterable<Event>;
  /** The view before this step's condenser. */
  readonly view: View;
  /** Actions of the newest response without a result, oldest first. */
  readonly pendingActions: readonly ActionEvent[];
  /** Condensations since the last answer of the model, message or request of the user, or failed run. */
  readonly condensationsInARow: number;
  /** Condensation requests of the agent in the same time: overflows that the condenser was asked to act on. */
  readonly requestsInARow: number;
  /** Whether the user has reverted a condensation, and none has forgotten or masked anything since. */
  readonly wasTakenBack: boolean;
  /** Actions that a person, or the application on their behalf, has confirmed. */
  readonly confirmedActions: ReadonlySet<EventId>;
  /** Confirmed actions that have not begun, so that it is safe to carry them out. */
  readonly releasedActions: ReadonlySet<EventId>;
  /** Whether a provider refused the history with its thinking and accepted it without. */
  readonly isThinkingOff: boolean;
  /**
   * Whether the provider refused the content, the model was told of it, and neither the model nor the user has said anything
   * since.
   */
  readonly wasRefused: boolean;
  /** The instructions in force and the user's words that every request holds. The same object until they change. */
  readonly standingWords: StandingWords;
  /** The words of incomplete answers that the next answer goes on with. Empty if there are none. */
  readonly begunAnswer: string;
}

/** A {@link ConversationState} that follows a log event by event. An append costs O(1) amortised. */
export class ConversationStateProjection implements ConversationState {
  readonly conversationId?: string;
  readonly #events: Event[] = [];
  readonly #view: ViewProjection;
  readonly #pending = new Map<EventId, ActionEvent>();
  #condensationsInARow = 0;
  #requestsInARow = 0;
  #standingWords = noStandingWords;
  #lastAnswer: LastAnswer | undefined;
  #wasTakenBack = false;
  #isThinkingOff = false;
  #wasRefused = false;
  readonly #confirmed = new Set<EventId>();
  readonly #released = new Set<EventId>();
  #sinceUser: Event[] = [];

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

  /** Read-only, because tools are given it. */
  readonly log: Iterable<Event> = Object.freeze({ [Symbol.iterator]: () => this.#events[Symbol.iterator]() });

  get view(): View {
    return this.#view.view;
  }

  get pendingActions(): readonly ActionEvent[] {
    return [...this.#pending.values()];
  }

  get condensationsInARow(): number {
    return this.#condensationsInARow;
  }

  get requestsInARow(): number {
    return this.#requestsInARow;
  }

  /** The instructions in force. */
  get systemPrompt(): SystemPromptEvent | undefined {
    return this.#standingWords.systemPrompt;
  }

  /** The newest message with the source `user`. */
  get latestUserMessage(): MessageEvent | undefined {
    return this.#standingWords.latestUserMessage;
  }

  get standingWords(): StandingWords {
    return this.#standingWords;
  }

  /** The model's answer, in words or by the finish tool, if it is the end of the conversation so far. */
  get finalAnswer(): string | undefined {
    return this.#lastAnswer?.isFinal === true ? this.#lastAnswer.text : undefined;
  }

  get begunAnswer(): string {
    return this.#lastAnswer?.isFinal === false ? this.#lastAnswer.text : '';
  }

  get wasTakenBack(): boolean {
    return this.#wasTakenBack;
  }

  get confirmedActions(): ReadonlySet<EventId> {
    return this.#confirmed;
  }

  get releasedActions(): ReadonlySet<EventId> {
    return this.#released;
  }

  get isThinkingOff(): boolean {
    return this.#isThinkingOff;
  }

  get wasRefused(): boolean {
    return this.#wasRefused;
  }

  /** The newest events since the user's last message, as many as stuck detection reads. */
  get recentEvents(): readonly Event[] {
    return this.#sinceUser.slice(-recentEvents);
  }

  /** @param asWritten - the action to carry out, if the log holds it with its secrets masked */
  append(event: Event, asWritten?: ActionEvent): void {
    this.#events.push(event);
    this.#view.append(event);
    this.#standingWords = standingWordsAfter(this.#standingWords, event, () => this.#view.view);
    if (isUserMessage(event)) this.#sinceUser = [];
    else if (this.#sinceUser.push(event) > 2 * recentEvents) this.#sinceUser = this.#sinceUser.slice(-recentEvents);
    for (const id of confirmedBy(event)) this.#confirmed.add(id);
    for (const id of releasedBy(event)) this.#released.add(id);
    for (const id of begunBy(event)) this.#released.delete(id);
    if (turnsThinkingOff(event)) this.#isThinkingOff = true;
    if (event.type === 'action' || event.type === 'message') this.#respond(event);
    if (isLLMConvertible(event)) this.#lastAnswer = answerAfter(event, this.#lastAnswer);
    switch (event.type) {
      case 'condensation':
        this.#condensationsInARow++;
        if (!isEmpty(event)) this.#wasTakenBack = false;
        break;
      case 'action':
        this.#pending.set(event.id, asWritten ?? event);
        break;
      case 'message':
        if (isRefusalNote(event)) this.#wasRefused = true;
        if (isUserMessage(event)) {
          this.#wasRefused = false;
          this.#beginRow();
        }
        break;
      case 'condensation-request':
        if (event.source === 'user') this.#beginRow();
        else this.#requestsInARow++;
        break;
      case 'condensation-revert':
        if (event.source === 'user') {
          this.#wasTakenBack = true;
          this.#beginRow();
        }
        break;
      case 'conversation-error':
        // A host that runs again has changed something, or wants to try again.
        this.#beginRow();
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

  #beginRow(): void {
    this.#condensationsInARow = 0;
    this.#requestsInARow = 0;
  }

  /** A response of the model seals the response before it: calls that have no result by then are abandoned. */
  #respond({ id }: ActionEvent | MessageEvent): void {
    const response = this.view.responseOf(id);
    if (response === undefined) return;
    this.#beginRow();
    this.#wasRefused = false;
    if (response === id) this.#pending.clear();
  }

  #answer(actionId: EventId | undefined, toolCallId: string): void {
    if (actionId !== undefined && this.#pending.delete(actionId)) return;
    // Results in foreign logs may have a call id and no action id. At most one batch is open, so the loop is short.
    for (const [id, action] of this.#pending) {
      if (action.toolCall.id === toolCallId) {
        this.#pending.delete(id);
        return;
      }
    }
  }
}
