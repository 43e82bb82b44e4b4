import { isUserMessage, wellFormedEvent } from '@palimpsest/events';
import type { ActionEvent, CreateEvent, Event, EventId, EventLog } from '@palimpsest/events';
import { ConversationStateProjection } from '../conversation-state.js';
import { note } from '../notes.js';
import { secretLabel, secretMask } from '../secrets/mask.js';
import type { SecretMask } from '../secrets/mask.js';
import type { StepOptions } from '../step/step-options.js';
import type { ConversationOptions } from './conversation-options.js';
import { isStatus } from './run-outcome.js';
import type { ConversationStatus } from './run-outcome.js';

/**
 * The log of a conversation with all that follows from it, up to date after each event: the state that a step reads, and the
 * status. Secrets are masked before an event is stored.
 */
export class ConversationLog {
  readonly events: EventLog;
  readonly state: ConversationStateProjection;
  readonly secrets: SecretMask;
  readonly createEvent: CreateEvent;
  readonly #hasSecrets: boolean;
  /** Actions of another process or conversation whose arguments held a secret: the log has only its label. */
  readonly #withoutSecrets = new Set<EventId>();
  /** Actions that were masked in the log, as they must be carried out. */
  readonly #asWritten = new Map<EventId, ActionEvent>();
  #status: ConversationStatus = 'idle';

  constructor(events: EventLog, { agent, secrets, view }: ConversationOptions) {
    this.events = events;
    this.#hasSecrets = secrets !== undefined;
    this.secrets = secrets ?? secretMask({});
    this.createEvent = agent.createEvent;
    this.state = new ConversationStateProjection({
      conversationId: events.conversationId,
      view: { thinking: agent.thinking, ...view },
    });
    for (const event of events) this.#follow(event);
    this.startedByOthers(0);
    events.observe((event) => this.#follow(event));
  }

  get status(): ConversationStatus {
    return this.#status;
  }

  /** Sets the status of this process. The log is not changed: see {@link ConversationLog.setStatus}. */
  set status(value: ConversationStatus) {
    this.#status = value;
  }

  /** Appends the new status, and what is said together with it, before it. */
  async setStatus(value: ConversationStatus, ...before: readonly Event[]): Promise<void> {
    await this.append(before, this.createEvent('conversation-state-update', { key: 'status', value }));
    this.#status = value;
  }

  /** Appends events, all or none. Without any it does nothing. */
  async append(...events: readonly (Event | readonly Event[])[]): Promise<void> {
    await this.copy(events.flat().map(wellFormedEvent));
  }

  /** Appends events that stood in a log before: they stay as they are, except for secrets. */
  async copy(events: readonly Event[]): Promise<void> {
    if (events.length === 0) return;
    const masked = events.map((event) => {
      const logged = this.secrets(event);
      if (logged !== event && event.type === 'action') this.#asWritten.set(event.id, event);
      return logged;
    });
    await this.events.append(masked);
  }

  /** Appends a note that the model reads. */
  async tell(text: string): Promise<void> {
    await this.append(note(text, this.createEvent));
  }

  /** Options for a step that emits into this log. */
  stepOptions(signal: AbortSignal | undefined): StepOptions {
    return { onEvents: (batch) => this.append(batch), secrets: this.secrets, signal };
  }

  /**
   * Called when the events from an index on were appended by others, or by a process that has ended: nobody runs the
   * conversation now, and the secrets in the arguments of open actions are not known.
   */
  startedByOthers(from: number): void {
    if (this.#status === 'running') this.#status = 'idle';
    if (!this.#hasSecrets) return;
    const ids = new Set(this.events.slice(from).map(({ id }) => id));
    for (const { id, toolCall } of this.state.pendingActions) {
      if (ids.has(id) && secretLabel.test(toolCall.arguments)) this.#withoutSecrets.add(id);
    }
  }

  /** Whether the arguments of an action held a secret that is not known any more. */
  lacksSecrets({ id }: ActionEvent): boolean {
    return this.#withoutSecrets.has(id);
  }

  #follow(event: Event): void {
    // Masked here too: others append to the same log, and an event can be older than the secret.
    this.state.append(this.secrets(event), this.#asWritten.get(event.id));
    this.#asWritten.delete(event.id);
    if (event.type === 'conversation-state-update' && event.key === 'status' && isStatus(event.value)) {
      this.#status = event.value;
    }
    if (isUserMessage(event) && ['finished', 'stuck'].includes(this.#status)) this.#status = 'idle';
  }
}
