import type { Condensation, Event, EventId, LLMConvertibleEvent, Message } from '@palimpsest/events';
import type { Batch, Call } from './batches.js';
import type { CutPoints } from './cut-points.js';
import type { CutPointList } from './cut-tracker.js';
import { PrefixSequence } from './event-sequence.js';
import type { EventSequence } from './event-sequence.js';
import type { ListSnapshot } from './list-analysis.js';
import { messagesFromOrder } from './messages-from-view.js';
import type { RenderOptions, ThinkingMode } from './render-options.js';
import { sentOrder } from './sent-order.js';
import type { TrackedOrder } from './sent-tracker.js';
import type { SentOrder } from './sent-order.js';
import { carriesThinking, sentContent, staleAfterEdit, staleAfterReplacing } from './stale-thinking.js';
import { StoredList } from './stored-list.js';
import type { EditedList, StoredListOptions } from './stored-list.js';
import { viewOfLogKey } from './view-of-log.js';
import { joinsRunKey, withoutProperties, withoutPropertiesKey } from './run-units.js';
import type { Replacement, View, ViewNote } from './view.js';

/** The data that a view takes from the log at one position. It does not depend on edits of the stored list. */
export interface LogSnapshot {
  /** How many events the log had. */
  readonly position: number;
  /** The position of an event in the log, and the event; also for events after the view's position. */
  readonly positionOf: (id: EventId) => number | undefined;
  readonly eventAt: (position: number) => Event | undefined;
  readonly open: Batch | undefined;
  /** The first position of the response that contains the event at a position. */
  readonly responseAt: (position: number) => number | undefined;
  readonly unhandledCondensationRequest: boolean;
  readonly condensations: EventSequence<Condensation>;
  readonly internalEvents: EventSequence<Event>;
  readonly notes: EventSequence<ViewNote>;
  readonly thinking: ThinkingMode;
  readonly listOptions: StoredListOptions;
}

/** The view of a log at one position, or a view derived from it. Every part is computed when it is first read. */
export class LogView implements View {
  readonly events: EventSequence<LLMConvertibleEvent>;
  readonly cutPoints: CutPoints;
  readonly [viewOfLogKey]: View;
  /** Undefined for a view without properties. */
  readonly [joinsRunKey]: ((index: number) => boolean) | undefined;
  readonly #log: LogSnapshot;
  readonly #list: StoredList;
  readonly #isStale: (id: EventId) => boolean;
  /** The cut points without the properties. */
  readonly #cuts: CutPointList;
  #order: SentOrder | undefined;
  #condensations: readonly Condensation[] | undefined;

  constructor(log: LogSnapshot, list: StoredList, isStale: (id: EventId) => boolean, stored?: View, whole?: LogView) {
    const { length } = whole?.events ?? list.events;
    this.#log = log;
    this.#list = list;
    this.#isStale = isStale;
    this.events = new PrefixSequence(list.events, length);
    this.#cuts = whole === undefined ? list.cuts.snapshot(length) : whole.#cuts;
    const runs = whole === undefined ? list.runs : undefined;
    this.cutPoints = runs?.cutPoints(this.#cuts, length) ?? this.#cuts;
    this[joinsRunKey] = runs && ((index) => index < length && runs.joins(index));
    this[viewOfLogKey] = stored ?? this;
  }

  [withoutPropertiesKey](): View {
    const log = { ...this.#log, listOptions: { ...this.#log.listOptions, runKeysOf: undefined } };
    const stored = this[viewOfLogKey];
    return new LogView(log, this.#list, this.#isStale, stored === this ? undefined : withoutProperties(stored), this);
  }

  get unhandledCondensationRequest(): boolean {
    return this.#log.unhandledCondensationRequest;
  }

  get condensations(): readonly Condensation[] {
    return (this.#condensations ??= this.#log.condensations.slice());
  }

  get internalEvents(): EventSequence<Event> {
    return this.#log.internalEvents;
  }

  get notes(): EventSequence<ViewNote> {
    return this.#log.notes;
  }

  get leftOut(): ReadonlyMap<EventId, string> {
    return this.sent().leftOut;
  }

  original(id: EventId): Event | undefined {
    const position = this.#log.positionOf(id);
    return position !== undefined && position < this.#log.position ? this.#log.eventAt(position) : undefined;
  }

  responseOf(id: EventId): EventId | undefined {
    const position = this.#log.positionOf(id);
    if (position === undefined || position >= this.#log.position) return undefined;
    const first = this.#log.responseAt(position);
    return first === undefined ? undefined : this.#log.eventAt(first)?.id;
  }

  indexOf(id: EventId): number | undefined {
    return this.#list.indexOf(id, this.events.length);
  }

  tokens(from = 0, to = this.events.length): number {
    const clamp = (index: number): number => Math.max(0, Math.min(Math.trunc(index), this.events.length));
    return Math.max(0, this.#list.tokens(clamp(to)) - this.#list.tokens(clamp(from)));
  }

  tokensOf(event: LLMConvertibleEvent): number {
    return this.#log.listOptions.estimateTokens(event);
  }

  replace(changes: ReadonlyMap<EventId, Replacement>): View {
    const events = this.#list.events.slice(0, this.events.length);
    const edits = new Map<EventId, number>();
    let changed = false;
    for (const [id, { event, effectiveFrom }] of changes) {
      const index = this.indexOf(id);
      const old = index === undefined ? undefined : events[index];
      if (index === undefined || old === undefined || old === event) continue;
      changed = true;
      events[index] = event.id === id ? event : { ...event, id };
      if (isSentAlike(old, event)) continue;
      edits.set(id, (effectiveFrom === undefined ? undefined : this.#log.positionOf(effectiveFrom)) ?? Infinity);
    }
    if (!changed) return this;
    const after = this.#listOf(events, this.#list.calls.slice(0, events.length));
    return this.#derive(after, edits.size === 0 ? none : staleAfterReplacing(after, edits, this.#log.positionOf));
  }

  without(ids: ReadonlySet<EventId>): View {
    const events: LLMConvertibleEvent[] = [];
    const calls: (Call | undefined)[] = [];
    for (let index = 0; index < this.events.length; index++) {
      const event = this.#list.events[index] as LLMConvertibleEvent;
      if (ids.has(event.id)) continue;
      events.push(event);
      calls.push(this.#list.calls[index]);
    }
    if (events.length === this.events.length) return this;
    const after = this.#listOf(events, calls);
    const stale = events.some(carriesThinking) ? staleAfterEdit(this.#snapshot(), after, this.#log.open) : none;
    return this.#derive(after, stale);
  }

  toMessages(options: RenderOptions = {}): readonly Message[] {
    return messagesFromOrder(this.sent(), {
      thinking: options.thinking ?? this.#log.thinking,
      labelObservation: options.labelObservation,
    });
  }

  sent(): SentOrder {
    return (this.#order ??= {
      ...this.#listOrder(),
      thinking: this.#log.thinking,
      isThinkingStale: this.#isStale,
    });
  }

  #snapshot(): ListSnapshot {
    const { events, calls } = this.#list;
    return { events, calls, length: this.events.length, position: this.#log.position };
  }

  #listOf(events: LLMConvertibleEvent[], calls: (Call | undefined)[]): EditedList {
    return { events, calls, length: events.length, position: this.#log.position };
  }

  #listOrder(): TrackedOrder {
    const list = this.#snapshot();
    if (this[viewOfLogKey] !== this) {
      const { items, ...order } = sentOrder(list);
      return { ...order, items: new PrefixSequence(items) };
    }
    const first = this.#log.open?.calls[0]?.action.id;
    const end = first === undefined ? list.length : (this.indexOf(first) ?? 0);
    return this.#list.sent.order(list, end, ({ action }) => {
      const index = this.indexOf(action.id);
      const event = index === undefined ? undefined : list.events[index];
      return event?.type === 'action' ? event : undefined;
    });
  }

  #derive(after: EditedList, newlyStale: ReadonlySet<EventId>): View {
    const isStale = (id: EventId): boolean => newlyStale.has(id) || this.#isStale(id);
    return new LogView(this.#log, StoredList.of(after, isStale, this.#log.listOptions), isStale, this[viewOfLogKey]);
  }
}

const none: ReadonlySet<EventId> = new Set();

/** A cache: policies that rewrite every step replace the same events by the same copies each time. */
const compared = new WeakMap<LLMConvertibleEvent, { readonly old: LLMConvertibleEvent; readonly isAlike: boolean }>();

function isSentAlike(old: LLMConvertibleEvent, event: LLMConvertibleEvent): boolean {
  const known = compared.get(event);
  if (known?.old === old) return known.isAlike;
  const isAlike = JSON.stringify(sentContent(old)) === JSON.stringify(sentContent(event));
  compared.set(event, { old, isAlike });
  return isAlike;
}
