import { isErrorResult, isLLMConvertible, isMeaningful, isSentRole, isUserMessage } from '@palimpsest/events';
import type {
  ActionEvent,
  Condensation,
  ContentPart,
  CreateEvent,
  Event,
  EventId,
  LLMConvertibleEvent,
  MessageEvent,
  SystemPromptEvent,
} from '@palimpsest/events';
import { ViewProjection } from '@palimpsest/view';
import type { View, ViewOptions } from '@palimpsest/view';
import { begunBy, confirmedBy, releasedBy } from './confirmation.js';
import { isRefusalNote } from './notes.prompt.js';
import { finishToolName } from './tool-calls/built-in-tools.js';

/** The longest pattern takes fewer, though notes and usage stand between its actions. Unit: events. */
const recentEvents = 100;

/** The state of a conversation, as a step reads it. */
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
  /** True if the user has reverted a condensation, and none has forgotten or masked anything since. */
  readonly wasReverted: boolean;
  /** Actions that a person, or the application on their behalf, has confirmed. */
  readonly confirmedActions: ReadonlySet<EventId>;
  /** Confirmed actions that have not begun, so that it is safe to carry them out. */
  readonly releasedActions: ReadonlySet<EventId>;
  /** True if a provider refused the history with its thinking and accepted it without. */
  readonly isThinkingOff: boolean;
  /** True if the provider refused the content, the model was told of it, and neither the model nor the user has said anything since. */
  readonly wasRefused: boolean;
  /** The instructions in force and the user's words that every request holds. The same object until they change. */
  readonly messagesInForce: MessagesInForce;
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
  #messagesInForce = noMessagesInForce;
  #lastAnswer: LastAnswer | undefined;
  #wasReverted = false;
  #isThinkingOff = false;
  #wasRefused = false;
  readonly #confirmed = new Set<EventId>();
  readonly #released = new Set<EventId>();
  #sinceUser: Event[] = [];

  constructor(options: { readonly conversationId?: string; readonly view?: ViewOptions } = {}) {
    if (options.conversationId !== undefined) this.conversationId = options.conversationId;
    this.#view = new ViewProjection(options.view);
  }

  /** Returns the state after these events. */
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
    return this.#messagesInForce.systemPrompt;
  }

  /** The newest message with the source `user`. */
  get latestUserMessage(): MessageEvent | undefined {
    return this.#messagesInForce.latestUserMessage;
  }

  get messagesInForce(): MessagesInForce {
    return this.#messagesInForce;
  }

  /** The model's answer, in words or by the finish tool, if it is the end of the conversation so far. */
  get finalAnswer(): string | undefined {
    return this.#lastAnswer?.isFinal === true ? this.#lastAnswer.text : undefined;
  }

  get begunAnswer(): string {
    return this.#lastAnswer?.isFinal === false ? this.#lastAnswer.text : '';
  }

  get wasReverted(): boolean {
    return this.#wasReverted;
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
    this.#messagesInForce = messagesInForceAfter(this.#messagesInForce, event, () => this.#view.view);
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
        if (!isEmpty(event)) this.#wasReverted = false;
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
          this.#wasReverted = true;
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

/** Messages that every request holds, whatever a condensation or a condenser's view has left of them. */
export interface MessagesInForce {
  /** The newest instructions of the log. */
  readonly systemPrompt?: SystemPromptEvent;
  /** The first message of the user in the log. */
  readonly firstUserMessage?: MessageEvent;
  /** The newest message of the user in the log. */
  readonly latestUserMessage?: MessageEvent;
  /**
   * The message that was the user's latest when the newest condensation or revert took effect, if the view has lacked it
   * since. It stays so until the next one, also when the user speaks again, because what was sent must stay as it was.
   */
  readonly lost?: MessageEvent;
  /** The event since which no message is lost. Thinking before it followed a history that held the message. */
  readonly lostUntil?: EventId;
}

const noMessagesInForce: MessagesInForce = {};

/**
 * Returns the messages in force after one more event. The same object if nothing has changed.
 *
 * @param view - the view of the log with that event
 */
function messagesInForceAfter(inForce: MessagesInForce, event: Event, view: () => View): MessagesInForce {
  switch (event.type) {
    case 'system-prompt':
      return { ...inForce, systemPrompt: event };
    case 'message':
      if (event.source !== 'user' || event.role !== 'user' || !event.content.some(isMeaningful)) return inForce;
      return { ...inForce, firstUserMessage: inForce.firstUserMessage ?? event, latestUserMessage: event };
    case 'condensation':
    case 'condensation-revert': {
      const { lost: before, latestUserMessage: latest, ...others } = inForce;
      const lost = latest === undefined || view().indexOf(latest.id) !== undefined ? undefined : latest;
      if (lost === before) return inForce;
      return {
        ...others,
        latestUserMessage: latest,
        lost,
        ...(before === undefined ? {} : { lostUntil: event.id }),
      };
    }
    default:
      return inForce;
  }
}

/** The answer in which a log ends. It is not final while its last part is incomplete, and the model is to go on with it. */
export interface LastAnswer {
  readonly text: string;
  readonly isFinal: boolean;
}

/**
 * Returns the answer in which a log ends after one more event; undefined if it ends in none.
 *
 * @param before - the answer in which it ended before that event
 */
export function answerAfter(event: LLMConvertibleEvent, before: LastAnswer | undefined): LastAnswer | undefined {
  switch (event.type) {
    case 'message':
      if (!isSentRole(event.role)) return before;
      return event.source === 'agent' ? answerWith(event, before) : event.source === 'user' ? undefined : begun(before);
    case 'observation':
      return event.toolName === finishToolName && !isErrorResult(event)
        ? { text: textOf(event.content), isFinal: true }
        : undefined;
    case 'agent-error':
      // Calls behind the finish are answered as not run; the answer stays final.
      return before;
    default:
      return undefined;
  }
}

function answerWith({ cutOff, content }: MessageEvent, before: LastAnswer | undefined): LastAnswer | undefined {
  const isFinal = cutOff === undefined;
  // The model may answer anew after an interrupt of the user. What a provider cut, it goes on with.
  if (!isFinal && cutOff.finishReason === undefined) return undefined;
  const text = `${begun(before)?.text ?? ''}${textOf(content)}`;
  // A model that has nothing to add to a cut answer had said all of it.
  if (isFinal && text.trim() === '' && !content.some(isMeaningful)) return undefined;
  return { text, isFinal };
}

function begun(answer: LastAnswer | undefined): LastAnswer | undefined {
  return answer?.isFinal === false ? answer : undefined;
}

/** Returns the text of the parts, one part a line. */
export function textOf(content: readonly ContentPart[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

const thinkingKey = 'thinking';

/** Makes the record that a provider refused the history with its thinking, and accepted it without. */
export function thinkingOff(reason: string, createEvent: CreateEvent): Event {
  return createEvent('conversation-state-update', { key: thinkingKey, value: { mode: 'none', reason } });
}

/** Reports whether an event is that record: the history is sent without thinking from then on. */
function turnsThinkingOff(event: Event): boolean {
  if (event.type !== 'conversation-state-update' || event.key !== thinkingKey) return false;
  return (event.value as { readonly mode?: unknown } | null)?.mode === 'none';
}

/** Reports whether a condensation forgets and masks nothing. */
export function isEmpty({ forgottenEventIds, redactions = [] }: Condensation): boolean {
  return forgottenEventIds.length + redactions.length === 0;
}
