import type { Condensation, Event, EventId, LLMConvertibleEvent, Message } from '@palimpsest/events';
import type { CallLedger } from './batches.js';
import type { CutPoints } from './cut-points.js';
import { PrefixSequence } from './event-sequence.js';
import type { EventSequence } from './event-sequence.js';
import { sentOrder } from './list-analysis.js';
import type { ListSnapshot, SentOrder } from './list-analysis.js';
import { messagesFromOrder } from './messages-from-view.js';
import type { RenderOptions, ThinkingMode } from './render-options.js';
import { carriesThinking, sentContent, staleAfterEdit } from './stale-thinking.js';
import { StoredList } from './stored-list.js';
import type { StoredListOptions } from './stored-list.js';
import type { Replacement, View, ViewNote } from './view.js';

/** What a view takes over from the log, whatever becomes of the stored list. */
export interface LogSnapshot {
  readonly ledger: CallLedger;
  readonly position: number;
  readonly originals: ReadonlyMap<EventId, { readonly event: Event; readonly position: number }>;
  readonly unhandledCondensationRequest: boolean;
  readonly condensations: EventSequence<Condensation>;
  readonly internalEvents: EventSequence<Event>;
  readonly notes: EventSequence<ViewNote>;
  readonly thinking: ThinkingMode;
  readonly listOptions: StoredListOptions;
}

/** The view of a log at one position, or one derived from it. What is not asked for is not computed. */
export class LogView implements View {
  readonly events: EventSequence<LLMConvertibleEvent>;
  readonly cutPoints: CutPoints;
  readonly stored: View;
  readonly #log: LogSnapshot;
  readonly #list: StoredList;
  readonly #isStale: (id: EventId) => boolean;
  #order: SentOrder | undefined;

  constructor(options: {
    readonly log: LogSnapshot;
    readonly list: StoredList;
    readonly isStale: (id: EventId) => boolean;
    readonly stored?: View;
  }) {
    this.#log = options.log;
    this.#list = options.list;
    this.#isStale = options.isStale;
    this.events = new PrefixSequence(options.list.events);
    this.cutPoints = options.list.cuts.snapshot(this.events.length);
    this.stored = options.stored ?? this;
  }

  get unhandledCondensationRequest(): boolean {
    return this.#log.unhandledCondensationRequest;
  }

  get condensations(): EventSequence<Condensation> {
    return this.#log.condensations;
  }

  get internalEvents(): EventSequence<Event> {
    return this.#log.internalEvents;
  }

  get notes(): EventSequence<ViewNote> {
    return this.#log.notes;
  }

  get leftOut(): ReadonlyMap<EventId, string> {
    return this.#sentOrder().leftOut;
  }

  original(id: EventId): Event | undefined {
    const entry = this.#log.originals.get(id);
    return entry !== undefined && entry.position < this.#log.position ? entry.event : undefined;
  }

  indexOf(id: EventId): number | undefined {
    return this.#list.indexOf(id, this.events.length);
  }

  tokens(from = 0, to = this.events.length): number {
    const at = (index: number): number => this.#list.tokenSums[Math.max(0, Math.min(index, this.events.length))] ?? 0;
    return Math.max(0, at(to) - at(from));
  }

  replace(changes: ReadonlyMap<EventId, Replacement>): View {
    const events = [...this.events];
    const { leftOut } = this.#sentOrder();
    const edits: { readonly index: number; readonly position: number }[] = [];
    let changed = false;
    for (const [id, { event, effectiveFrom }] of changes) {
      const index = this.indexOf(id);
      const old = index === undefined ? undefined : events[index];
      if (index === undefined || old === undefined || old === event) continue;
      changed = true;
      events[index] = event.id === id ? event : { ...event, id };
      const isSent = !leftOut.has(id) && JSON.stringify(sentContent(old)) !== JSON.stringify(sentContent(event));
      const from = effectiveFrom === undefined ? undefined : this.#log.originals.get(effectiveFrom)?.position;
      if (isSent) edits.push({ index, position: from ?? Infinity });
    }
    return changed ? this.#derive(events, this.#staleAfterReplacing(events, edits)) : this;
  }

  without(ids: ReadonlySet<EventId>): View {
    const events = [...this.events].filter(({ id }) => !ids.has(id));
    if (events.length === this.events.length) return this;
    const after: ListSnapshot = { events, ledger: this.#log.ledger, position: this.#log.position };
    const stale = events.some(carriesThinking) ? staleAfterEdit(this.#snapshot(), after) : new Set<EventId>();
    return this.#derive(events, stale);
  }

  toMessages(options: RenderOptions = {}): readonly Message[] {
    return messagesFromOrder(this.#sentOrder(), {
      thinking: options.thinking ?? this.#log.thinking,
      labelObservation: options.labelObservation,
      isStale: this.#isStale,
    });
  }

  #snapshot(): ListSnapshot {
    return { events: this.events, ledger: this.#log.ledger, position: this.#log.position };
  }

  #sentOrder(): SentOrder {
    return (this.#order ??= sentOrder(this.#snapshot()));
  }

  /** Thinking that stands after a replaced event and was made before the replacement took effect. */
  #staleAfterReplacing(
    events: readonly LLMConvertibleEvent[],
    edits: readonly { readonly index: number; readonly position: number }[],
  ): ReadonlySet<EventId> {
    const stale = new Set<EventId>();
    const byIndex = [...edits].sort((a, b) => a.index - b.index);
    let next = 0;
    let effective = -1;
    for (const [index, event] of events.entries()) {
      if (carriesThinking(event) && (this.#log.originals.get(event.id)?.position ?? -1) < effective) stale.add(event.id);
      for (; byIndex[next]?.index === index; next++) effective = Math.max(effective, byIndex[next]?.position ?? -1);
    }
    return stale;
  }

  #derive(events: readonly LLMConvertibleEvent[], newlyStale: ReadonlySet<EventId>): View {
    const isStale = (id: EventId): boolean => newlyStale.has(id) || this.#isStale(id);
    const list = StoredList.of(
      { events, ledger: this.#log.ledger, position: this.#log.position },
      isStale,
      this.#log.listOptions,
    );
    return new LogView({ log: this.#log, list, isStale, stored: this.stored });
  }
}
