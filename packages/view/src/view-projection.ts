import { isLLMConvertible } from '@palimpsest/events';
import type { Condensation, Event, EventId, LLMConvertibleEvent, SystemPromptEvent } from '@palimpsest/events';
import { applyCondensation } from './apply-condensation.js';
import { CallLedger, hasPendingCall, isAnsweredInPlace } from './batches.js';
import type { Batch } from './batches.js';
import { PrefixSequence } from './event-sequence.js';
import type { ListSnapshot } from './list-analysis.js';
import { LogView } from './log-view.js';
import type { LogSnapshot } from './log-view.js';
import { LastRendering } from './rendered-messages.js';
import { isAssistantEvent } from './response-boundaries.js';
import { carriesThinking, sentContent, staleAfterEdit, staleBehindFirstUnit } from './stale-thinking.js';
import { StoredList } from './stored-list.js';
import type { ListEdit, StoredListOptions } from './stored-list.js';
import { estimateTokens } from './token-estimate.js';
import { lacksUnknown, unknownKinds, unknownSource } from './unknown-kinds.js';
import type { View, ViewNote, ViewOptions } from './view.js';

/** The state of the fold. A revert makes a new state; each view holds the state from which it was taken. */
interface Fold {
  readonly ledger: CallLedger;
  readonly condensations: Condensation[];
  readonly internalEvents: Event[];
  readonly notes: ViewNote[];
  /** For each event with stale signed thinking, the position from which it no longer verifies. Unit: position in the log. */
  readonly staleSince: Map<EventId, number>;
  readonly isStale: (id: EventId) => boolean;
  /** Events whose signed thinking still verifies. */
  fresh: EventId[];
  /** The ids of the summaries that the condensations in force have made. */
  readonly summaryIds: Set<EventId>;
  /** True if the newest response was made without a batch that is sent since. The response's thinking never verifies. */
  lackedBatch: boolean;
  /**
   * The events of the list that are not sent completely, because they contain kinds that this version does not know. A newer
   * version may have sent them. Later thinking is then bound to them and does not verify without them.
   */
  unknown: EventId[];
  list: StoredList;
  system: SystemPromptEvent | undefined;
  unhandledCondensationRequest: boolean;
}

/**
 * The incremental fold of a log: append events as they come and take the view whenever it is needed. After every event its
 * view equals `View.fromEvents` of the same events. Appending costs O(1) amortised, taking the view O(1); a condensation is
 * linear in the view, and a revert folds the log again.
 */
export class ViewProjection {
  readonly #options: Required<ViewOptions>;
  readonly #listOptions: StoredListOptions;
  readonly #log: Event[] = [];
  readonly #positions = new Map<EventId, number>();
  readonly #reverted = new Set<EventId>();
  /** The keys that the properties return, for each event with at least one key. */
  readonly #runKeys = new Map<EventId, readonly string[]>();
  /** The properties that have failed once. */
  readonly #failedProperties = new Set<number>();
  #hasRepeatedIds = false;
  readonly #rendering = new LastRendering();
  #fold: Fold;
  #view: View | undefined;

  constructor(options: ViewOptions = {}) {
    this.#options = {
      thinking: options.thinking ?? 'prefix-bound',
      estimateTokens: options.estimateTokens ?? estimateTokens,
      properties: options.properties ?? [],
    };
    this.#listOptions = {
      loops: this.#options.thinking === 'latest-turn',
      estimateTokens: this.#options.estimateTokens,
      positionOf: this.#positionOf,
      runKeysOf: this.#options.properties.length === 0 ? undefined : (id) => this.#runKeys.get(id),
    };
    this.#fold = this.#emptyFold();
  }

  /** Adds the next event of the log. An event whose id is taken is noted and otherwise ignored. */
  append(event: Event): void {
    this.#view = undefined;
    const position = this.#log.length;
    if (this.#isTaken(event.id, position)) {
      this.#note(event, 'an event with this id stands in the log already; this one is ignored');
      return;
    }
    this.#log.push(event);
    if (this.#options.properties.length > 0 && isLLMConvertible(event)) this.#nameRuns(event);
    if (event.type === 'condensation-revert') this.#revert(event, position);
    else this.#append(event, position);
  }

  /** Assigns an id to a position, unless the id is taken. In a log without repeated ids this is one look-up for each event. */
  #isTaken(id: EventId, position: number): boolean {
    if (this.#hasRepeatedIds) {
      if (this.#positions.has(id)) return true;
      this.#positions.set(id, position);
      return false;
    }
    this.#positions.set(id, position);
    if (this.#positions.size > position) return false;
    this.#hasRepeatedIds = true;
    const first = this.#log.findIndex((event) => event.id === id);
    this.#positions.set(id, first);
    return true;
  }

  /** Calls the properties, once for each event. A property that fails names no run; its first failure is noted. */
  #nameRuns(event: LLMConvertibleEvent): void {
    const keys = this.#options.properties.flatMap((property, index) => {
      try {
        const key: unknown = property(event);
        if (typeof key === 'string') return [`${index} ${key}`];
        if (key !== undefined) this.#noteProperty(event, index, `gave ${whatIs(key)}, not a string or undefined`);
      } catch (error) {
        this.#noteProperty(event, index, `failed: ${error instanceof Error ? error.message : whatIs(error)}`);
      }
      return [];
    });
    if (keys.length > 0) this.#runKeys.set(event.id, keys);
  }

  /** Notes a property once, however many events it fails for. */
  #noteProperty(event: LLMConvertibleEvent, index: number, what: string): void {
    if (this.#failedProperties.has(index)) return;
    this.#failedProperties.add(index);
    this.#note(event, `property ${index} ${what}; where it does so, it names no run (noted once)`);
  }

  /** The view of the events so far. */
  get view(): View {
    return (this.#view ??= this.#snapshot());
  }

  #snapshot(): View {
    const { ledger, list, staleSince, condensations, internalEvents, notes, unhandledCondensationRequest } = this.#fold;
    const position = this.#log.length;
    const log: LogSnapshot = {
      position,
      positionOf: this.#positionOf,
      eventAt: this.#eventAt,
      open: ledger.open,
      responseAt: ledger.responseAt,
      unhandledCondensationRequest,
      condensations: new PrefixSequence(condensations),
      internalEvents: new PrefixSequence(internalEvents),
      notes: new PrefixSequence(notes),
      thinking: this.#options.thinking,
      staleCount: staleSince.size,
      rendering: this.#rendering,
      listOptions: this.#listOptions,
    };
    return new LogView(log, list, (id) => (staleSince.get(id) ?? Infinity) < position);
  }

  readonly #positionOf = (id: EventId): number | undefined => this.#positions.get(id);

  readonly #eventAt = (position: number): Event | undefined => this.#log[position];

  #append(event: Event, position: number): void {
    const fold = this.#fold;
    const unknown = unknownSource(event);
    if (unknown !== undefined) this.#note(event, unknown);
    if (isLLMConvertible(event)) {
      if (fold.summaryIds.has(event.id)) {
        this.#note(event, 'the summary of a condensation has this id; this event is ignored');
        return;
      }
      if (event.type === 'system-prompt') this.#setSystemPrompt(event, position);
      if (lacksUnknown(event)) {
        fold.unknown.push(event.id);
        for (const note of unknownKinds(event)) this.#note(event, note);
      }
      const { open } = fold.ledger;
      const call = fold.ledger.append(event, position);
      const beginsResponse = fold.ledger.responseAt(position) === position;
      if (beginsResponse) fold.lackedBatch = isWaitingInPart(open, position);
      if (isAssistantEvent(event) && carriesThinking(event)) {
        // Words after a pending call are sent after its result, but the model wrote them without that result.
        const isMisplaced = event.type === 'message' && !beginsResponse;
        if (fold.lackedBatch || isMisplaced || fold.unknown.length > 0) fold.staleSince.set(event.id, position);
        else fold.fresh.push(event.id);
      }
      fold.list.push(event, call, fold.isStale);
      return;
    }
    fold.ledger.append(event, position);
    fold.internalEvents.push(event);
    if (event.type === 'condensation-request') fold.unhandledCondensationRequest = true;
    else if (event.type === 'condensation') this.#condense(event, position);
  }

  #condense(event: Condensation, position: number): void {
    const fold = this.#fold;
    if (this.#reverted.has(event.id)) return;
    fold.unhandledCondensationRequest = false;
    fold.condensations.push(event);
    const before = snapshotOf(fold.list, position);
    const { edit, summary, notes } = applyCondensation(event, before, {
      open: fold.ledger.open,
      isTaken: (id) => (this.#positions.get(id) ?? position) < position || fold.summaryIds.has(id),
      positionOf: this.#positionOf,
      indexOf: (id) => fold.list.indexOf(id, before.length),
      cutPoints: fold.list.cuts.snapshot(before.length),
    });
    fold.ledger.sealComplete(position);
    if (summary !== undefined) fold.summaryIds.add(summary.id);
    for (const note of notes) this.#note(event, note);
    if (edit === undefined) return;
    const system = edit.forgetsSystemPrompt
      ? edit.after.events.findLast((stored) => stored.type === 'system-prompt')
      : fold.system;
    if (fold.fresh.length > 0) this.#markStale(this.#staleAfter(edit, before, system), position);
    fold.list = fold.list.edited(edit, fold.isStale);
    fold.system = system;
    fold.unknown = fold.unknown.filter((id) => {
      const stored = fold.list.events[fold.list.indexOf(id, fold.list.events.length) ?? -1];
      return stored !== undefined && lacksUnknown(stored);
    });
  }

  #staleAfter(edit: ListEdit, before: ListSnapshot, system: SystemPromptEvent | undefined): ReadonlySet<EventId> {
    const { list, system: oldSystem, ledger } = this.#fold;
    const { after, firstChanged } = edit;
    const behind = staleBehindFirstUnit(
      { list: before, cutPoints: list.cuts.snapshot(before.length), system: oldSystem },
      { list: after, system },
      firstChanged,
    );
    return behind ?? staleAfterEdit(before, after, ledger.open);
  }

  /** Computes the cut points again, because the set of events with stale thinking has changed. */
  #retrack(): void {
    const fold = this.#fold;
    const { events, calls } = fold.list;
    const list = { events: [...events], calls: [...calls], length: events.length, position: this.#log.length - 1 };
    fold.list = StoredList.of(list, fold.isStale, this.#listOptions);
  }

  #setSystemPrompt(event: SystemPromptEvent, position: number): void {
    const fold = this.#fold;
    const old = fold.system;
    fold.system = event;
    const isSame = old !== undefined && JSON.stringify(sentContent(old)) === JSON.stringify(sentContent(event));
    if (isSame || fold.fresh.length === 0) return;
    this.#markStale(new Set(fold.fresh), position);
    // Stale thinking does not hold a tool loop together, so the cut points change.
    if (this.#listOptions.loops) this.#retrack();
  }

  #revert(event: Extract<Event, { readonly type: 'condensation-revert' }>, position: number): void {
    const before = this.#fold;
    before.internalEvents.push(event);
    const targetPosition = this.#positions.get(event.condensationId);
    const target = targetPosition === undefined ? undefined : this.#log[targetPosition];
    if (target?.type !== 'condensation' || this.#reverted.has(target.id)) {
      const why = target?.type === 'condensation' ? 'it is reverted already' : 'there is no such condensation';
      this.#note(event, `cannot revert '${event.condensationId}': ${why}`);
      return;
    }
    this.#reverted.add(target.id);
    this.#fold = this.#emptyFold(before.notes.slice());
    const noted = this.#fold.notes.length;
    for (let index = 0; index < position; index++) {
      const earlier = this.#log[index] as Event;
      if (earlier.type === 'condensation-revert') this.#fold.internalEvents.push(earlier);
      else this.#append(earlier, index);
    }
    this.#fold.notes.length = noted;
    this.#fold.internalEvents.push(event);

    this.#keepStale(before, position);
  }

  /**
   * Restores stale thinking after a revert. Thinking that was left out once must stay left out. Thinking that verified before
   * the revert still verifies, unless the revert changed content before it. The staleness that the new fold computes without
   * the condensation is ignored, because that state never existed.
   */
  #keepStale(before: Fold, position: number): void {
    const fold = this.#fold;
    const after = snapshotOf(fold.list, position);
    fold.lackedBatch = before.lackedBatch;
    fold.fresh = [...fold.fresh, ...fold.staleSince.keys()];
    fold.staleSince.clear();
    this.#markStale(new Set(before.staleSince.keys()), position);
    if (before.fresh.length > 0) {
      this.#markStale(staleAfterEdit(snapshotOf(before.list, position), after, fold.ledger.open), position);
    }
    if (this.#listOptions.loops) this.#retrack();
  }

  #markStale(ids: ReadonlySet<EventId>, position: number): void {
    const fold = this.#fold;
    for (const id of ids) if (!fold.staleSince.has(id)) fold.staleSince.set(id, position);
    fold.fresh = fold.fresh.filter((id) => !fold.staleSince.has(id));
  }

  #note(event: Event, note: string): void {
    this.#fold.notes.push({ eventId: event.id, note });
  }

  #emptyFold(notes: ViewNote[] = []): Fold {
    const staleSince = new Map<EventId, number>();
    return {
      ledger: new CallLedger(),
      condensations: [],
      internalEvents: [],
      notes,
      staleSince,
      isStale: (id) => staleSince.has(id),
      fresh: [],
      summaryIds: new Set(),
      lackedBatch: false,
      unknown: [],
      list: StoredList.empty(this.#listOptions),
      system: undefined,
      unhandledCondensationRequest: false,
    };
  }
}

/** Describes what a property returned instead of a key. Handles the rejection of a returned promise. */
function whatIs(key: unknown): string {
  if (!(key instanceof Promise)) return key === null ? 'null' : `a value of type ${typeof key}`;
  key.catch(() => undefined);
  return 'a promise';
}

/**
 * A model that is called while some calls of a batch are pending sees nothing of the batch. Later requests contain the answered
 * calls.
 */
function isWaitingInPart(open: Batch | undefined, position: number): boolean {
  return (
    open !== undefined && hasPendingCall(open, position) && open.calls.some((call) => isAnsweredInPlace(call, position))
  );
}

function snapshotOf(list: StoredList, position: number): ListSnapshot {
  return { events: list.events, calls: list.calls, length: list.events.length, position };
}
