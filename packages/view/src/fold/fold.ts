import { isLLMConvertible } from '@palimpsest/events';
import type { Condensation, Event, EventId, LLMConvertibleEvent, SystemPromptEvent } from '@palimpsest/events';
import type { ViewNote } from '../view.js';
import { CallHistory, hasPendingCall, isAnsweredInPlace, isAssistantEvent } from './calls.js';
import type { Batch, Call } from './calls.js';
import { condense } from './condense.js';
import { carriesThinking, isSentAlike, staleAfterEdit } from './stale-thinking.js';
import type { StoredList } from './stored-list.js';
import { TurnTracker } from './turns.js';
import { lacksUnknown, unknownKinds, unknownSource } from './unknown-kinds.js';

/**
 * The left fold of a log: `append` changes plain arrays and maps. A view copies the list, so an older view stays what it was.
 * A revert makes a new fold of the whole log.
 */
export class Fold {
  readonly history = new CallHistory(({ id }) => this.#events.some((event) => event.id === id));
  readonly turns = new TurnTracker();
  readonly condensations: Condensation[] = [];
  readonly internalEvents: Event[] = [];
  readonly notes: ViewNote[];
  /** For each event with stale signed thinking, the position from which it no longer verifies. Unit: position in the log. */
  readonly staleSince = new Map<EventId, number>();
  unhandledCondensationRequest = false;
  #events: LLMConvertibleEvent[] = [];
  /** For each event, the call that it makes or answers. */
  #calls: (Call | undefined)[] = [];
  /** The events whose signed thinking still verifies. */
  readonly #fresh = new Set<EventId>();
  /** The ids of the summaries that the condensations in force have made. */
  readonly #summaryIds = new Set<EventId>();
  /** True if the newest response was made without a batch that is sent since. The response's thinking never verifies. */
  #lackedBatch = false;
  /**
   * The events of the list that are not sent completely, because they contain kinds that this version does not know. A newer
   * version may have sent them. Later thinking is then bound to them and does not verify without them.
   */
  #unknown = new Set<EventId>();
  readonly #isReverted: (id: EventId) => boolean;
  readonly #isTaken: (id: EventId, before: number) => boolean;

  /**
   * @param log.isReverted - true for condensations that a later event reverts
   * @param log.isTaken - true for the ids that events before a position of the log have
   */
  constructor(
    log: {
      readonly isReverted: (id: EventId) => boolean;
      readonly isTaken: (id: EventId, before: number) => boolean;
    },
    notes: ViewNote[] = [],
  ) {
    this.notes = notes;
    this.#isReverted = log.isReverted;
    this.#isTaken = log.isTaken;
  }

  /** The stored list. It is valid until the next event is appended. */
  listAt(position: number): StoredList {
    return { events: this.#events, calls: this.#calls, position };
  }

  /** Adds the event at a position of the log. Reverts are not for it: they change what the fold did before. */
  append(event: Event, position: number): void {
    const unknown = unknownSource(event);
    if (unknown !== undefined) this.note(event, unknown);
    if (isLLMConvertible(event)) {
      this.#store(event, position);
      return;
    }
    this.history.append(event, position);
    this.internalEvents.push(event);
    if (event.type === 'condensation-request') this.unhandledCondensationRequest = true;
    else if (event.type === 'condensation' && !this.#isReverted(event.id)) this.#condense(event, position);
  }

  note(event: Event, note: string): void {
    this.notes.push({ eventId: event.id, note });
  }

  /**
   * Takes over which thinking is stale from the fold before a revert. Thinking that was left out once must stay left out.
   * Thinking that verified before the revert still verifies, unless the revert changed content before it. The staleness that
   * this fold found without the condensation is ignored, because that state never existed.
   */
  keepStale(before: Fold, position: number): void {
    this.#lackedBatch = before.#lackedBatch;
    for (const id of this.staleSince.keys()) this.#fresh.add(id);
    this.staleSince.clear();
    this.#markStale(before.staleSince.keys(), position);
    if (before.#fresh.size === 0) return;
    this.#markStale(staleAfterEdit(before.listAt(position), this.listAt(position), this.history.open), position);
  }

  #store(event: LLMConvertibleEvent, position: number): void {
    if (this.#summaryIds.has(event.id)) {
      this.note(event, 'the summary of a condensation has this id; this event is ignored');
      return;
    }
    if (event.type === 'system-prompt') this.#replaceSystemPrompt(event, position);
    if (lacksUnknown(event)) {
      this.#unknown.add(event.id);
      for (const note of unknownKinds(event)) this.note(event, note);
    }
    const { open } = this.history;
    const call = this.history.append(event, position);
    this.turns.append(event, position, this.history.responseAt(position));
    const beginsResponse = this.history.responseAt(position) === position;
    if (beginsResponse) this.#lackedBatch = isWaitingInPart(open, position);
    if (isAssistantEvent(event) && carriesThinking(event)) {
      // Words after a pending call are sent after its result, but the model wrote them without that result.
      const isMisplaced = event.type === 'message' && !beginsResponse;
      if (this.#lackedBatch || isMisplaced || this.#unknown.size > 0) this.staleSince.set(event.id, position);
      else this.#fresh.add(event.id);
    }
    this.#events.push(event);
    this.#calls.push(call);
  }

  /** Another system prompt is an edit at the very beginning of what is sent. */
  #replaceSystemPrompt(event: SystemPromptEvent, position: number): void {
    if (this.#fresh.size === 0) return;
    const old = this.#events.findLast(({ type }) => type === 'system-prompt');
    if (old === undefined || !isSentAlike(old, event)) this.#markStale([...this.#fresh], position);
  }

  #condense(event: Condensation, position: number): void {
    this.unhandledCondensationRequest = false;
    this.condensations.push(event);
    const before = this.listAt(position);
    const isTaken = (id: EventId): boolean => this.#isTaken(id, position) || this.#summaryIds.has(id);
    const { list, summary, notes } = condense(event, before, { open: this.history.open, isTaken });
    this.history.sealAnswered(position);
    if (summary !== undefined) this.#summaryIds.add(summary.id);
    for (const note of notes) this.note(event, note);
    if (list === before) return;
    if (this.#fresh.size > 0) this.#markStale(staleAfterEdit(before, list, this.history.open), position);
    this.#events = [...list.events];
    this.#calls = [...list.calls];
    this.#unknown = new Set(this.#events.filter(lacksUnknown).map(({ id }) => id));
  }

  #markStale(ids: Iterable<EventId>, position: number): void {
    for (const id of ids) {
      if (!this.staleSince.has(id)) this.staleSince.set(id, position);
      this.#fresh.delete(id);
    }
  }
}

/**
 * True if some calls of a batch are answered and some are pending. A model that is called then sees nothing of the batch; later
 * requests contain the answered calls.
 */
function isWaitingInPart(open: Batch | undefined, position: number): boolean {
  return (
    open !== undefined && hasPendingCall(open, position) && open.calls.some((call) => isAnsweredInPlace(call, position))
  );
}
