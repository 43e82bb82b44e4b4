import { isLLMConvertible, isUserMessage } from '@palimpsest/events';
import type { ActionEvent, Event, EventId, MessageEvent, SystemPromptEvent } from '@palimpsest/events';
import { ViewProjection } from '@palimpsest/view';
import type { View, ViewOptions } from '@palimpsest/view';
import { begunBy, confirmedBy, releasedBy } from './confirmation.js';
import { answerAfter } from './model/final-answer.js';
import { isRefusalNote } from './model/refusal-note.js';
import { noStandingWords, standingWordsAfter } from './model/standing-words.js';
import type { StandingWords } from './model/standing-words.js';
import { turnsThinkingOff } from './model/thinking-off.js';

/** Many more than the longest pattern takes, since notes, usage and the like stand between. Unit: events. */
const recentEvents = 100;

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
  /** Condensation requests of the agent in the same time: overflows that the condenser was told of. */
  readonly requestsInARow: number;
  /** The newest condensation forgot and masked nothing: whoever made it had nothing left to give up. */
  readonly lastCondensationWasEmpty: boolean;
  /** Actions that a person, or the application in their place, has allowed. */
  readonly confirmedActions: ReadonlySet<EventId>;
  /** Actions that were allowed, with the rest of their response, and have not begun: they are safe to carry out. */
  readonly releasedActions: ReadonlySet<EventId>;
  /** A provider refused the history with its thinking and took it without. */
  readonly isThinkingOff: boolean;
  /** The provider refused the content, the model was told, and neither it nor the user has said anything since. */
  readonly wasRefused: boolean;
  /** The instructions in force and the user's words that every request holds. One object until they change. */
  readonly standingWords: StandingWords;
}

/** A {@link ConversationState} that is kept up to date event by event. An append costs O(1) amortised. */
export class ConversationStateProjection implements ConversationState {
  readonly conversationId?: string;
  readonly #events: Event[] = [];
  readonly #view: ViewProjection;
  readonly #pending = new Map<EventId, ActionEvent>();
  #condensationsInARow = 0;
  #requestsInARow = 0;
  #standingWords = noStandingWords;
  #finalAnswer: string | undefined;
  #lastCondensationWasEmpty = false;
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

  /** Not the list itself, which a tool could write into. */
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

  /** The newest message whose source is the user. */
  get latestUserMessage(): MessageEvent | undefined {
    return this.#standingWords.latestUserMessage;
  }

  get standingWords(): StandingWords {
    return this.#standingWords;
  }

  /** The model's answer, in words or by the finish tool, when nobody has said or done anything since: there is nothing to go on with. */
  get finalAnswer(): string | undefined {
    return this.#finalAnswer;
  }

  get lastCondensationWasEmpty(): boolean {
    return this.#lastCondensationWasEmpty;
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

  /** The newest events since the user last said something, as many as patterns are looked for in. */
  get recentEvents(): readonly Event[] {
    return this.#sinceUser.slice(-recentEvents);
  }

  /**
   * @param asWritten - what to carry out of an action of which the log holds less, since it holds no secrets
   */
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
    if (isLLMConvertible(event)) this.#finalAnswer = answerAfter(event, this.#finalAnswer);
    switch (event.type) {
      case 'condensation':
        this.#condensationsInARow++;
        this.#lastCondensationWasEmpty = event.forgottenEventIds.length === 0 && (event.redactions?.length ?? 0) === 0;
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
        // There is something to forget again.
        this.#lastCondensationWasEmpty = false;
        if (event.source === 'user') this.#beginRow();
        break;
      case 'conversation-error':
        // A host that runs again has changed something, or means to try again.
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

  /** A response of the model seals the one before it: what that one left unanswered is abandoned, never run late. */
  #respond({ id }: ActionEvent | MessageEvent): void {
    const response = this.view.responseOf(id);
    if (response === undefined) return;
    this.#beginRow();
    this.#wasRefused = false;
    if (response === id) this.#pending.clear();
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
