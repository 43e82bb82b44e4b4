import { isLLMConvertible } from '@palimpsest/events';
import type { Condensation, Event, EventId, LLMConvertibleEvent, SystemPromptEvent } from '@palimpsest/events';
import { applyCondensation } from './apply-condensation.js';
import { CallLedger } from './batches.js';
import { PrefixSequence } from './event-sequence.js';
import type { ListSnapshot } from './list-analysis.js';
import { LogView } from './log-view.js';
import { carriesThinking, sentContent, staleAfterEdit } from './stale-thinking.js';
import { StoredList } from './stored-list.js';
import type { StoredListOptions } from './stored-list.js';
import { estimateTokens } from './token-estimate.js';
import type { View, ViewNote, ViewOptions } from './view.js';

/** What the fold has made of the log so far. A revert makes a new one; views hold the one that they were taken from. */
interface Fold {
  readonly ledger: CallLedger;
  readonly condensations: Condensation[];
  readonly internalEvents: Event[];
  readonly notes: ViewNote[];
  /** Since when the signed thinking of an event no longer verifies. Unit: position in the log. */
  readonly staleSince: Map<EventId, number>;
  /** Events whose signed thinking still verifies. */
  fresh: EventId[];
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
  readonly #originals = new Map<EventId, { readonly event: Event; readonly position: number }>();
  readonly #reverted = new Set<EventId>();
  #fold: Fold;
  #view: View | undefined;

  constructor(options: ViewOptions = {}) {
    this.#options = { thinking: 'prefix-bound', estimateTokens, ...options };
    this.#listOptions = {
      loops: this.#options.thinking === 'latest-turn',
      estimateTokens: this.#options.estimateTokens,
    };
    this.#fold = this.#emptyFold();
  }

  /** Adds the next event of the log. An event whose id is taken is noted and otherwise ignored. */
  append(event: Event): void {
    this.#view = undefined;
    if (this.#originals.has(event.id)) {
      this.#note(event, 'an event with this id stands in the log already; this one is ignored');
      return;
    }
    const position = this.#log.push(event) - 1;
    this.#originals.set(event.id, { event, position });
    if (event.type === 'condensation-revert') this.#revert(event, position);
    else this.#append(event, position);
  }

  /** The view of the events so far. */
  get view(): View {
    return (this.#view ??= this.#snapshot());
  }

  #snapshot(): View {
    const { ledger, list, staleSince, condensations, internalEvents, notes, unhandledCondensationRequest } = this.#fold;
    const position = this.#log.length;
    return new LogView({
      log: {
        ledger,
        position,
        originals: this.#originals,
        unhandledCondensationRequest,
        condensations: new PrefixSequence(condensations),
        internalEvents: new PrefixSequence(internalEvents),
        notes: new PrefixSequence(notes),
        thinking: this.#options.thinking,
        listOptions: this.#listOptions,
      },
      list,
      isStale: (id) => (staleSince.get(id) ?? Infinity) < position,
    });
  }

  #append(event: Event, position: number): void {
    const fold = this.#fold;
    if (isLLMConvertible(event)) {
      if (event.type === 'system-prompt') this.#setSystemPrompt(event, position);
      if (carriesThinking(event)) fold.fresh.push(event.id);
      fold.list.push(event, fold.ledger.append(event, position));
      return;
    }
    fold.internalEvents.push(event);
    if (event.type === 'condensation-request') fold.unhandledCondensationRequest = true;
    else if (event.type === 'condensation') this.#condense(event, position);
  }

  #condense(event: Condensation, position: number): void {
    const fold = this.#fold;
    if (this.#reverted.has(event.id)) return;
    fold.unhandledCondensationRequest = false;
    fold.condensations.push(event);
    const { events, changed, notes } = applyCondensation(event, {
      events: fold.list.events,
      ledger: fold.ledger,
      position,
      isKnown: (id) => this.#originals.has(id),
    });
    for (const note of notes) this.#note(event, note);
    if (changed) this.#edit(events, position);
  }

  #edit(events: readonly LLMConvertibleEvent[], position: number): void {
    const fold = this.#fold;
    const { ledger } = fold;
    const after: ListSnapshot = { events, ledger, position };
    if (fold.fresh.length > 0) {
      this.#markStale(staleAfterEdit({ events: fold.list.events, ledger, position }, after), position);
    }
    fold.list = StoredList.of(after, (id) => fold.staleSince.has(id), this.#listOptions);
    fold.system = events.findLast((event) => event.type === 'system-prompt');
  }

  #setSystemPrompt(event: SystemPromptEvent, position: number): void {
    const fold = this.#fold;
    const old = fold.system;
    fold.system = event;
    const isSame = old !== undefined && JSON.stringify(sentContent(old)) === JSON.stringify(sentContent(event));
    if (isSame || fold.fresh.length === 0) return;
    this.#markStale(new Set(fold.fresh), position);
    if (!this.#listOptions.loops) return;
    // Stale thinking holds no tool loop together, so the cut points are others now.
    const snapshot: ListSnapshot = { events: fold.list.events, ledger: fold.ledger, position };
    fold.list = StoredList.of(snapshot, (id) => fold.staleSince.has(id), this.#listOptions);
  }

  #revert(event: Extract<Event, { readonly type: 'condensation-revert' }>, position: number): void {
    const before = this.#fold;
    before.internalEvents.push(event);
    const target = this.#originals.get(event.condensationId)?.event;
    if (target?.type !== 'condensation' || this.#reverted.has(target.id)) {
      const why = target?.type === 'condensation' ? 'it is reverted already' : 'there is no such condensation';
      this.#note(event, `cannot revert '${event.condensationId}': ${why}`);
      return;
    }
    this.#reverted.add(target.id);
    this.#fold = this.#emptyFold();
    this.#fold.notes.push(...before.notes);
    const noted = this.#fold.notes.length;
    for (let index = 0; index < position; index++) {
      const earlier = this.#log[index] as Event;
      if (earlier.type === 'condensation-revert') this.#fold.internalEvents.push(earlier);
      else this.#append(earlier, index);
    }
    this.#fold.notes.length = noted;
    this.#fold.internalEvents.push(event);

    // A block that was left out once must not come back, whatever the fold says of it now.
    const stale = new Set(before.staleSince.keys());
    if (before.fresh.length > 0) {
      const after = { events: this.#fold.list.events, ledger: this.#fold.ledger, position };
      const changed = staleAfterEdit({ events: before.list.events, ledger: before.ledger, position }, after);
      for (const id of changed) stale.add(id);
    }
    this.#markStale(stale, position);
    const list: ListSnapshot = { events: this.#fold.list.events, ledger: this.#fold.ledger, position };
    this.#fold.list = StoredList.of(list, (id) => this.#fold.staleSince.has(id), this.#listOptions);
  }

  #markStale(ids: ReadonlySet<EventId>, position: number): void {
    const fold = this.#fold;
    for (const id of ids) if (!fold.staleSince.has(id)) fold.staleSince.set(id, position);
    fold.fresh = fold.fresh.filter((id) => !fold.staleSince.has(id));
  }

  #note(event: Event, note: string): void {
    this.#fold.notes.push({ eventId: event.id, note });
  }

  #emptyFold(): Fold {
    return {
      ledger: new CallLedger(),
      condensations: [],
      internalEvents: [],
      notes: [],
      staleSince: new Map(),
      fresh: [],
      list: new StoredList(this.#listOptions),
      system: undefined,
      unhandledCondensationRequest: false,
    };
  }
}
