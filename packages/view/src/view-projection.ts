import { isLLMConvertible } from '@palimpsest/events';
import type { Event, EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { Fold } from './fold/fold.js';
import { LogView } from './log-view.js';
import { MessageCache } from './render/message-cache.js';
import { estimateTokens, rememberedSizes } from './render/token-estimate.js';
import type { EstimateTokens } from './render/token-estimate.js';
import type { ViewProperty } from './fold/runs.js';
import type { ThinkingMode, View as LogFold, ViewOptions } from './view.js';

/** The part of a log that the model reads, as an immutable value. */
export type View = LogFold;

/** Makes views of logs. */
export const View = {
  /** Folds a log into its view. Every sequence of events has a view. For a log that grows, keep a {@link ViewProjection}. */
  fromEvents(events: Iterable<Event>, options?: ViewOptions): View {
    const projection = new ViewProjection(options);
    for (const event of events) projection.append(event);
    return projection.view;
  },
};

/**
 * The fold of a log that grows: append events as they come and take the view whenever it is needed. After every event its view
 * equals `View.fromEvents` of the same events. Appending costs O(1), taking a view copies the stored list. A condensation is
 * linear in the view, and a revert folds the log again.
 */
export class ViewProjection {
  readonly #thinking: ThinkingMode;
  readonly #sizeOf: EstimateTokens;
  readonly #properties: readonly ViewProperty[];
  readonly #log: Event[] = [];
  readonly #positions = new Map<EventId, number>();
  readonly #reverted = new Set<EventId>();
  /** The keys that the properties return, for each event with at least one key. */
  readonly #runKeys = new Map<EventId, readonly string[]>();
  /** The properties that have failed once. */
  readonly #failedProperties = new Set<number>();
  readonly #messages = new MessageCache();
  #fold = this.#emptyFold();
  #view: View | undefined;

  constructor(options: ViewOptions = {}) {
    this.#thinking = options.thinking ?? 'prefix-bound';
    this.#sizeOf = rememberedSizes(options.estimateTokens ?? estimateTokens);
    this.#properties = options.properties ?? [];
  }

  /** Adds the next event of the log. An event whose id is taken is noted and otherwise ignored. */
  append(event: Event): void {
    this.#view = undefined;
    if (this.#positions.has(event.id)) {
      this.#fold.note(event, 'an event with this id stands in the log already; this one is ignored');
      return;
    }
    const position = this.#log.push(event) - 1;
    this.#positions.set(event.id, position);
    if (this.#properties.length > 0 && isLLMConvertible(event)) this.#nameRuns(event);
    if (event.type === 'condensation-revert') this.#revert(event, position);
    else this.#fold.append(event, position);
  }

  /** The view of the events so far. */
  get view(): View {
    return (this.#view ??= this.#snapshot());
  }

  #snapshot(): View {
    const { history, turns, staleSince, condensations, internalEvents, notes, unhandledCondensationRequest } =
      this.#fold;
    const position = this.#log.length;
    const { events, calls } = this.#fold.listAt(position);
    return new LogView(
      {
        position,
        positionOf: (id) => this.#positions.get(id),
        eventAt: (at) => this.#log[at],
        history,
        open: history.open,
        turns: turns.turns,
        unhandledCondensationRequest,
        condensations: condensations.slice(),
        internalEvents: internalEvents.slice(),
        notes: notes.slice(),
        thinking: this.#thinking,
        sizeOf: this.#sizeOf,
        runKeys: this.#properties.length === 0 ? undefined : this.#runKeys,
        messages: this.#messages,
      },
      { events: events.slice(), calls: calls.slice(), position },
      (id) => (staleSince.get(id) ?? Infinity) < position,
    );
  }

  /** Folds the log again, without the condensation that the event reverts. */
  #revert(event: Extract<Event, { readonly type: 'condensation-revert' }>, position: number): void {
    const before = this.#fold;
    const target = this.#log[this.#positions.get(event.condensationId) ?? position];
    if (target?.type !== 'condensation' || this.#reverted.has(target.id)) {
      const why = target?.type === 'condensation' ? 'it is reverted already' : 'there is no such condensation';
      before.internalEvents.push(event);
      before.note(event, `cannot revert '${event.condensationId}': ${why}`);
      return;
    }
    this.#reverted.add(target.id);
    const notes = before.notes.slice();
    this.#fold = this.#emptyFold(notes);
    for (const [at, earlier] of this.#log.entries()) {
      if (earlier.type === 'condensation-revert') this.#fold.internalEvents.push(earlier);
      else this.#fold.append(earlier, at);
    }
    // The notes of the events before are there already.
    this.#fold.notes.length = before.notes.length;
    this.#fold.keepStale(before, position);
  }

  #emptyFold(notes?: Fold['notes']): Fold {
    const isReverted = (id: EventId): boolean => this.#reverted.has(id);
    const isTaken = (id: EventId, before: number): boolean => (this.#positions.get(id) ?? before) < before;
    return new Fold({ isReverted, isTaken }, notes);
  }

  /** Calls the properties, once for each event. A property that fails names no run; its first failure is noted. */
  #nameRuns(event: LLMConvertibleEvent): void {
    let keys: string[] | undefined;
    for (let index = 0; index < this.#properties.length; index++) {
      try {
        const key: unknown = this.#properties[index]?.(event);
        if (typeof key === 'string') (keys ??= []).push(`${index} ${key}`);
        else if (key !== undefined) this.#noteProperty(event, index, `gave ${whatIs(key)}, not a string or undefined`);
      } catch (error) {
        this.#noteProperty(event, index, `failed: ${error instanceof Error ? error.message : whatIs(error)}`);
      }
    }
    if (keys !== undefined) this.#runKeys.set(event.id, keys);
  }

  /** Notes a property once, however many events it fails for. */
  #noteProperty(event: LLMConvertibleEvent, index: number, what: string): void {
    if (this.#failedProperties.has(index)) return;
    this.#failedProperties.add(index);
    this.#fold.note(event, `property ${index} ${what}; where it does so, it names no run (noted once)`);
  }
}

/** Describes what a property returned instead of a key. Handles the rejection of a returned promise. */
function whatIs(key: unknown): string {
  if (!(key instanceof Promise)) return key === null ? 'null' : `a value of type ${typeof key}`;
  key.catch(() => undefined);
  return 'a promise';
}
