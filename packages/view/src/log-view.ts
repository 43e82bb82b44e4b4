import type { Condensation, Event, EventId, LLMConvertibleEvent, Message, SystemPromptEvent } from '@palimpsest/events';
import type { Batch, Call } from './batches.js';
import type { CutPoints } from './cut-points.js';
import type { CutPointList } from './cut-tracker.js';
import { PrefixSequence } from './event-sequence.js';
import type { EventSequence } from './event-sequence.js';
import type { ListSnapshot } from './list-analysis.js';
import { responsesSinceKey } from './responses-since.js';
import type { RenderOptions, ThinkingMode } from './render-options.js';
import type { LastRendering } from './rendered-messages.js';
import { sentOrder } from './sent-order.js';
import type { TrackedOrder } from './sent-tracker.js';
import type { SentOrder } from './sent-order.js';
import { carriesThinking, staleAfterEdit, staleAfterReplacing, staleBehindFirstUnit } from './stale-thinking.js';
import type { SentEdit } from './stale-thinking.js';
import { replacedEvents } from './replaced-events.js';
import type { ReplacedEvent } from './replaced-events.js';
import type { EventRuns } from './event-runs.js';
import type { Rendering } from './settled-messages.js';
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
  /** How many events have stale thinking. */
  readonly staleCount: number;
  readonly listOptions: StoredListOptions;
  readonly rendering: LastRendering;
}

/** A view of a log, and the copies that replace some of its events without changing an order or a cut point. */
interface ReplacedIn {
  readonly view: LogView;
  readonly replaced: readonly ReplacedEvent[];
}

/** Neighbours in a list. */
interface Stretch {
  readonly start: number;
  /** The index after the last event. */
  readonly end: number;
}

/** The cut points of a view, if they are not those of its list as it is now. */
interface CutParts {
  readonly cuts: CutPointList;
  readonly runs: EventRuns | undefined;
  /** The number of events of the view. */
  readonly length: number;
  readonly replacedIn?: ReplacedIn | undefined;
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
  readonly #runs: EventRuns | undefined;
  readonly #replacedIn: ReplacedIn | undefined;
  #tracked: TrackedOrder | undefined;
  #order: SentOrder | undefined;
  #condensations: readonly Condensation[] | undefined;

  constructor(
    log: LogSnapshot,
    list: StoredList,
    isStale: (id: EventId) => boolean,
    stored?: View,
    cutParts?: CutParts,
  ) {
    const { length } = cutParts ?? list.events;
    this.#log = log;
    this.#list = list;
    this.#isStale = isStale;
    this.events = new PrefixSequence(list.events, length);
    this.#cuts = cutParts?.cuts ?? list.cuts.snapshot(length);
    this.#runs = cutParts === undefined ? list.runs : cutParts.runs;
    this.#replacedIn = cutParts?.replacedIn;
    const runs = this.#runs;
    this.cutPoints = runs?.cutPoints(this.#cuts, length) ?? this.#cuts;
    this[joinsRunKey] = runs && ((index) => index < length && runs.joins(index));
    this[viewOfLogKey] = stored ?? this;
  }

  [withoutPropertiesKey](): View {
    const log = { ...this.#log, listOptions: { ...this.#log.listOptions, runKeysOf: undefined } };
    const stored = this[viewOfLogKey];
    const cutParts = { cuts: this.#cuts, runs: undefined, length: this.events.length };
    const view = stored === this ? undefined : withoutProperties(stored);
    return new LogView(log, this.#list, this.#isStale, view, cutParts);
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
    return this.#replacedIn?.view.leftOut ?? this.sent().leftOut;
  }

  original(id: EventId): Event | undefined {
    const position = this.positionOf(id);
    return position === undefined ? undefined : this.#log.eventAt(position);
  }

  responseOf(id: EventId): EventId | undefined {
    const position = this.positionOf(id);
    if (position === undefined) return undefined;
    const first = this.#log.responseAt(position);
    return first === undefined ? undefined : this.#log.eventAt(first)?.id;
  }

  positionOf(id: EventId): number | undefined {
    const position = this.#log.positionOf(id);
    return position !== undefined && position < this.#log.position ? position : undefined;
  }

  [responsesSinceKey](id: EventId, most: number): number {
    const position = this.#log.positionOf(id) ?? this.#log.position;
    const responses = new Set<number>();
    for (let at = this.#log.position - 1; at > position && responses.size < most; at--) {
      const response = this.#log.responseAt(at);
      if (response !== undefined) responses.add(response);
    }
    return responses.size;
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
    const { length } = this.events;
    const replaced = replacedEvents(
      changes,
      { events: this.#list.events, length, indexOf: (id) => this.indexOf(id) },
      this.#list.lastReplaced,
    );
    if (replaced.length === 0) return this;
    const events = this.#list.events.slice(0, length);
    for (const { index, copy } of replaced) events[index] = copy;
    // Stale thinking does not hold a tool loop together, so with loops the cut points can change.
    if (this.#log.listOptions.loops || !replaced.every(({ isCutAlike }) => isCutAlike)) {
      const after = this.#listOf(events, this.#list.calls.slice(0, length));
      return this.#derive(after, staleAfterReplacing(sentOrder(after), this.#editsOf(replaced), this.#log.positionOf));
    }
    let stale: ReadonlySet<EventId> | undefined;
    const isStale = (id: EventId): boolean => {
      stale ??= staleAfterReplacing(this.sent(), this.#editsOf(replaced), this.#log.positionOf);
      return stale.has(id) || this.#isStale(id);
    };
    const list = this.#list.replaced(events, replaced);
    const stored = this[viewOfLogKey];
    const replacedIn = stored === this ? { view: this, replaced } : undefined;
    return new LogView(this.#log, list, isStale, stored, { cuts: this.#cuts, runs: this.#runs, length, replacedIn });
  }

  without(ids: ReadonlySet<EventId>): View {
    const events: LLMConvertibleEvent[] = [];
    const calls: (Call | undefined)[] = [];
    let index = 0;
    let first: number | undefined;
    for (const { start, end } of this.#stretchesOf(ids) ?? this.#eventsOf(ids)) {
      first ??= start;
      for (; index < start; index++) {
        events.push(this.#list.events[index] as LLMConvertibleEvent);
        calls.push(this.#list.calls[index]);
      }
      index = end;
    }
    if (first === undefined) return this;
    for (; index < this.events.length; index++) {
      events.push(this.#list.events[index] as LLMConvertibleEvent);
      calls.push(this.#list.calls[index]);
    }
    const after = this.#listOf(events, calls);
    return this.#derive(after, events.some(carriesThinking) ? this.#staleWithout(after, first) : none);
  }

  #staleWithout(after: EditedList, firstChanged: number): ReadonlySet<EventId> {
    const list = this.#snapshot();
    const before = { list, cutPoints: this.#cuts, system: systemPromptIn(list) };
    const behind = staleBehindFirstUnit(before, { list: after, system: systemPromptIn(after) }, firstChanged);
    return behind ?? staleAfterEdit(list, after, this.#log.open);
  }

  /**
   * Events as stretches of the list, if they are in its order: a policy hides thousands of neighbours at each step, of which only the
   * first is looked up. Undefined if they are not.
   */
  #stretchesOf(ids: ReadonlySet<EventId>): readonly Stretch[] | undefined {
    const { length } = this.events;
    const stretches: Stretch[] = [];
    let [start, end] = [0, 0];
    for (const id of ids) {
      if (end > start && end < length && this.#list.events[end]?.id === id) {
        end++;
        continue;
      }
      const index = this.indexOf(id);
      if (index === undefined || index < end) return undefined;
      if (end > start) stretches.push({ start, end });
      [start, end] = [index, index + 1];
    }
    if (end > start) stretches.push({ start, end });
    return stretches;
  }

  *#eventsOf(ids: ReadonlySet<EventId>): Generator<Stretch> {
    for (let index = 0; index < this.events.length; index++) {
      if (ids.has(this.#list.events[index]?.id ?? '')) yield { start: index, end: index + 1 };
    }
  }

  toMessages(options: RenderOptions = {}): readonly Message[] {
    if (this.#replacedIn !== undefined) return this.#replacedIn.view.#replacedMessages(this.#replacedIn, options);
    return this.#list.sent.messages(this.#listOrder, this.#renderingOf(options));
  }

  /** The messages of the view in which copies replace events of this one. */
  #replacedMessages({ replaced }: ReplacedIn, options: RenderOptions): readonly Message[] {
    return this.#list.sent.replacedMessages(this.#listOrder, this.#renderingOf(options), {
      replaced,
      edits: () => this.#editsOf(replaced),
      positionOf: this.#log.positionOf,
      cutAtOrBefore: (index) => this.#cuts.atOrBefore(index),
    });
  }

  #renderingOf({ thinking, labelObservation }: RenderOptions): Rendering {
    return {
      rendered: this.#log.rendering.with(thinking ?? this.#log.thinking, labelObservation),
      isStale: this.#isStale,
      staleCount: this.#log.staleCount,
    };
  }

  sent(): SentOrder {
    return (this.#order ??= this.#sentOrder());
  }

  #sentOrder(): SentOrder {
    const { system, items, leftOut } = this.#listOrder;
    let found: ReadonlyMap<EventId, string> | undefined;
    return {
      system,
      items,
      get leftOut() {
        return (found ??= leftOut());
      },
      thinking: this.#log.thinking,
      isThinkingStale: this.#isStale,
    };
  }

  #snapshot(): ListSnapshot {
    const { events, calls } = this.#list;
    return { events, calls, length: this.events.length, position: this.#log.position };
  }

  #listOf(events: LLMConvertibleEvent[], calls: (Call | undefined)[]): EditedList {
    return { events, calls, length: events.length, position: this.#log.position };
  }

  get #listOrder(): TrackedOrder {
    return (this.#tracked ??= this.#trackedOrder());
  }

  #trackedOrder(): TrackedOrder {
    const list = this.#snapshot();
    if (this[viewOfLogKey] !== this) {
      const { system, items, leftOut } = sentOrder(list);
      return { system, items: new PrefixSequence(items), settled: 0, rest: items, leftOut: () => leftOut };
    }
    const first = this.#log.open?.calls[0]?.action.id;
    const end = first === undefined ? list.length : (this.indexOf(first) ?? 0);
    return this.#list.sent.order(list, end, ({ action }) => {
      const index = this.indexOf(action.id);
      const event = index === undefined ? undefined : list.events[index];
      return event?.type === 'action' ? event : undefined;
    });
  }

  /** What replacing changes in what is sent: each copy, and the position of the log at which it took effect. */
  #editsOf(replaced: readonly ReplacedEvent[]): ReadonlyMap<EventId, SentEdit> {
    const edits = new Map<EventId, SentEdit>();
    for (const { id, copy, isSentAlike, replacement } of replaced) {
      const { effectiveFrom } = replacement;
      const since = effectiveFrom === undefined ? undefined : this.#log.positionOf(effectiveFrom);
      if (!isSentAlike) edits.set(id, { copy, position: since ?? Infinity });
    }
    return edits;
  }

  #derive(after: EditedList, newlyStale: ReadonlySet<EventId>): View {
    const isStale = (id: EventId): boolean => newlyStale.has(id) || this.#isStale(id);
    return new LogView(this.#log, StoredList.of(after, isStale, this.#log.listOptions), isStale, this[viewOfLogKey]);
  }
}

/** The system prompt in force. */
function systemPromptIn({ events, length }: ListSnapshot): SystemPromptEvent | undefined {
  for (let index = length - 1; index >= 0; index--) {
    const event = events[index];
    if (event?.type === 'system-prompt') return event;
  }
  return undefined;
}

const none: ReadonlySet<EventId> = new Set();
