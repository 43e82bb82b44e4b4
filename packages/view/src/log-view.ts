import { isToolResult } from '@palimpsest/events';
import type {
  ActionEvent,
  Condensation,
  Event,
  EventId,
  LLMConvertibleEvent,
  Message,
  ToolResultEvent,
} from '@palimpsest/events';
import { newestResultAt } from './fold/calls.js';
import type { Batch, Call, CallHistory } from './fold/calls.js';
import { CutPointList, cutPointsOf } from './fold/cut-points.js';
import type { CutPoints } from './fold/cut-points.js';
import { cutsBetweenRuns, startsOfRuns } from './fold/runs.js';
import type { RunKeys } from './fold/runs.js';
import { sendOrder } from './fold/send-order.js';
import type { SendOrder } from './fold/send-order.js';
import { staleAfterEdit, staleAfterReplacing } from './fold/stale-thinking.js';
import type { SentEdit } from './fold/stale-thinking.js';
import { batchesOf, indicesOf } from './fold/stored-list.js';
import type { StoredBatches, StoredList } from './fold/stored-list.js';
import type { Turns } from './fold/turns.js';
import type { MessageCache } from './render/message-cache.js';
import type { EstimateTokens } from './render/token-estimate.js';
import type { RenderOptions, Replacement, SentOrder, ThinkingMode, View, ViewNote } from './view.js';

/** The part of the log at one position that a view takes. Edits of the stored list do not change it. */
export interface LogAtPosition {
  /** The number of events that the log had. */
  readonly position: number;
  /** The position of an event in the log, and the event; also for events after the view's position. */
  readonly positionOf: (id: EventId) => number | undefined;
  readonly eventAt: (position: number) => Event | undefined;
  readonly history: CallHistory;
  readonly open: Batch | undefined;
  readonly turns: Turns;
  readonly unhandledCondensationRequest: boolean;
  readonly condensations: readonly Condensation[];
  readonly internalEvents: readonly Event[];
  readonly notes: readonly ViewNote[];
  readonly thinking: ThinkingMode;
  readonly sizeOf: EstimateTokens;
  /** Undefined for a view without properties. */
  readonly runKeys: RunKeys | undefined;
  readonly messages: MessageCache;
}

/**
 * The keys of what the functions below read of a view beyond its public members. `Symbol.for` makes them the same in
 * every copy of the package.
 */
const viewOfLogKey: unique symbol = Symbol.for('@palimpsest/view/view-of-log');
const withoutPropertiesKey: unique symbol = Symbol.for('@palimpsest/view/without-properties');
const joinsRunKey: unique symbol = Symbol.for('@palimpsest/view/joins-run');
const responsesSinceKey: unique symbol = Symbol.for('@palimpsest/view/responses-since');
const turnsKey: unique symbol = Symbol.for('@palimpsest/view/turns');

interface KnowsItsLog {
  readonly [viewOfLogKey]?: View;
  readonly [withoutPropertiesKey]?: () => View;
  readonly [joinsRunKey]?: (index: number) => boolean;
  readonly [responsesSinceKey]?: (id: EventId, most: number) => number;
  readonly [turnsKey]?: Turns;
}

/** The view of a log at one position, or a view derived from it. Every part is computed when it is first read. */
export class LogView implements View, KnowsItsLog {
  readonly #log: LogAtPosition;
  readonly #list: StoredList;
  readonly #isStale: (id: EventId) => boolean;
  readonly #stored: View;
  #storedBatches: StoredBatches | undefined;
  #order: SendOrder | undefined;
  #cutPoints: CutPoints | undefined;
  #indices: ReadonlyMap<EventId, number> | undefined;
  #startsOfRuns: readonly number[] | undefined;
  /** The size of the events before each index. */
  #sizes: readonly number[] | undefined;

  /** @param stored - the log's view, from which this one is derived. @defaultValue this one is the log's */
  constructor(log: LogAtPosition, list: StoredList, isStale: (id: EventId) => boolean, stored?: View) {
    this.#log = log;
    this.#list = list;
    this.#isStale = isStale;
    this.#stored = stored ?? this;
  }

  get events(): readonly LLMConvertibleEvent[] {
    return this.#list.events;
  }

  get [turnsKey](): Turns {
    return this.#log.turns;
  }

  get unhandledCondensationRequest(): boolean {
    return this.#log.unhandledCondensationRequest;
  }

  get condensations(): readonly Condensation[] {
    return this.#log.condensations;
  }

  get leftOut(): ReadonlyMap<EventId, string> {
    return this.#sendOrder.leftOut;
  }

  get internalEvents(): readonly Event[] {
    return this.#log.internalEvents;
  }

  get notes(): readonly ViewNote[] {
    return this.#log.notes;
  }

  get cutPoints(): CutPoints {
    return (this.#cutPoints ??= this.#findCutPoints());
  }

  original(id: EventId): Event | undefined {
    const position = this.positionOf(id);
    return position === undefined ? undefined : this.#log.eventAt(position);
  }

  responseOf(id: EventId): EventId | undefined {
    const position = this.positionOf(id);
    const first = position === undefined ? undefined : this.#log.history.responseAt(position);
    return first === undefined ? undefined : this.#log.eventAt(first)?.id;
  }

  callOf(id: EventId): ActionEvent | undefined {
    return this.#loggedCall(id)?.action;
  }

  resultOf(id: EventId): ToolResultEvent | undefined {
    const call = this.#loggedCall(id);
    const at = call === undefined ? undefined : newestResultAt(call, this.#log.position);
    const result = at === undefined ? undefined : this.#log.eventAt(at);
    return result !== undefined && isToolResult(result) ? result : undefined;
  }

  positionOf(id: EventId): number | undefined {
    const position = this.#log.positionOf(id);
    return position !== undefined && position < this.#log.position ? position : undefined;
  }

  indexOf(id: EventId): number | undefined {
    return (this.#indices ??= indicesOf(this.events)).get(id);
  }

  tokens(from = 0, to = this.events.length): number {
    const clamp = (index: number): number => Math.max(0, Math.min(Math.trunc(index), this.events.length));
    const sizes = (this.#sizes ??= this.#sumsOfSizes());
    return Math.max(0, (sizes[clamp(to)] as number) - (sizes[clamp(from)] as number));
  }

  tokensOf(event: LLMConvertibleEvent): number {
    return this.#log.sizeOf(event);
  }

  replace(changes: ReadonlyMap<EventId, Replacement>): View {
    const events = this.events.slice();
    const edits = new Map<EventId, SentEdit>();
    let isChanged = false;
    for (const [id, { event, effectiveFrom }] of changes) {
      const index = this.indexOf(id);
      const old = index === undefined ? undefined : events[index];
      if (index === undefined || old === undefined || old === event) continue;
      isChanged = true;
      const copy = event.id === id ? event : { ...event, id };
      events[index] = copy;
      const since = effectiveFrom === undefined ? undefined : this.#log.positionOf(effectiveFrom);
      edits.set(id, { old, copy, position: since ?? Infinity });
    }
    if (!isChanged) return this;
    const list = { ...this.#list, events };
    return this.#derived(list, () => staleAfterReplacing(sendOrder(list), edits, this.#log.positionOf));
  }

  without(ids: ReadonlySet<EventId>): View {
    const events: LLMConvertibleEvent[] = [];
    const calls: (Call | undefined)[] = [];
    for (const [index, event] of this.events.entries()) {
      if (ids.has(event.id)) continue;
      events.push(event);
      calls.push(this.#list.calls[index]);
    }
    if (events.length === this.events.length) return this;
    const list = { ...this.#list, events, calls };
    return this.#derived(list, () => staleAfterEdit(this.#list, list, this.#log.open));
  }

  toMessages(options: RenderOptions = {}): readonly Message[] {
    return this.#log.messages.messages(this.sent(), options);
  }

  sent(): SentOrder {
    const { system, items, leftOut } = this.#sendOrder;
    return { system, items, leftOut, thinking: this.#log.thinking, isThinkingStale: this.#isStale };
  }

  get [viewOfLogKey](): View {
    return this.#stored;
  }

  [withoutPropertiesKey](): View {
    if (this.#log.runKeys === undefined) return this;
    const stored = this.#stored === this ? undefined : withoutProperties(this.#stored);
    return new LogView({ ...this.#log, runKeys: undefined }, this.#list, this.#isStale, stored);
  }

  [joinsRunKey](index: number): boolean {
    return (this.#starts()[index] ?? index) < index;
  }

  [responsesSinceKey](id: EventId, most: number): number {
    const { position, positionOf, history } = this.#log;
    const responses = new Set<number>();
    for (let at = position - 1; at > (positionOf(id) ?? position) && responses.size < most; at--) {
      const response = history.responseAt(at);
      if (response !== undefined) responses.add(response);
    }
    return responses.size;
  }

  #loggedCall(id: EventId): Call | undefined {
    const position = this.positionOf(id);
    return position === undefined ? undefined : this.#log.history.callAt(position);
  }

  get #sendOrder(): SendOrder {
    return (this.#order ??= sendOrder(this.#list, this.#batches()));
  }

  #batches(): StoredBatches {
    return (this.#storedBatches ??= batchesOf(this.#list));
  }

  #findCutPoints(): CutPoints {
    const order = this.#log.thinking === 'latest-turn' ? this.#sendOrder : undefined;
    const cuts = cutPointsOf(this.#list, this.#batches(), { order, isStale: this.#isStale });
    return new CutPointList(this.#log.runKeys === undefined ? cuts : cutsBetweenRuns(cuts, this.#starts()));
  }

  #starts(): readonly number[] {
    return (this.#startsOfRuns ??= startsOfRuns(this.events, this.#log.runKeys ?? noKeys));
  }

  #sumsOfSizes(): readonly number[] {
    const sums = [0];
    for (const event of this.events) sums.push((sums.at(-1) as number) + this.#log.sizeOf(event));
    return sums;
  }

  #derived(list: StoredList, findStale: () => ReadonlySet<EventId>): View {
    let stale: ReadonlySet<EventId> | undefined;
    const isStale = (id: EventId): boolean => (stale ??= findStale()).has(id) || this.#isStale(id);
    return new LogView(this.#log, list, isStale, this.#stored);
  }
}

const noKeys: RunKeys = new Map();

/**
 * Returns the log's view from which a view was made by `replace` and `without`. Any other view is returned unchanged. Use it for
 * decisions that must not depend on what other condensers of a pipeline hide or mask, such as the number of events since the last
 * attempt. Condensing a derived view does not need it: {@link condensation} and {@link unitsOf} call it themselves.
 */
export function viewOfLog(view: View): View {
  return (view as KnowsItsLog)[viewOfLogKey] ?? view;
}

/** Returns the same view without its properties: runs remove no cut points. For a last resort. */
export function withoutProperties(view: View): View {
  return (view as KnowsItsLog)[withoutPropertiesKey]?.() ?? view;
}

/**
 * Returns the number of model responses in the log after an event, forgotten ones too, up to `most`. A view that does
 * not know its log has `most`. Unit: model responses.
 */
export function responsesSince(view: View, id: EventId, most: number): number {
  return (view as KnowsItsLog)[responsesSinceKey]?.(id, most) ?? most;
}

/**
 * Returns the turns of a view's log, with what a condensation has forgotten. Undefined for a view that does not know
 * its log.
 */
export function turnsOf(view: View): Turns | undefined {
  return (view as KnowsItsLog)[turnsKey];
}

/** Returns true for a unit that contains a run: it is forgotten or kept whole, words included. */
export function isRunUnit(view: View, start: number, end: number): boolean {
  for (let index = start + 1; index < end; index++) {
    if ((view as KnowsItsLog)[joinsRunKey]?.(index) === true) return true;
  }
  return false;
}

/** Returns the ids, extended by all events of the units with a run that contain one of them. */
export function withRuns(view: View, ids: ReadonlySet<EventId>): ReadonlySet<EventId> {
  const all = new Set(ids);
  for (const id of ids) {
    const index = view.indexOf(id);
    if (index === undefined) continue;
    const start = view.cutPoints.atOrBefore(index) ?? 0;
    const end = view.cutPoints.atOrAfter(index + 1) ?? view.events.length;
    if (isRunUnit(view, start, end)) for (const event of view.events.slice(start, end)) all.add(event.id);
  }
  return all;
}
