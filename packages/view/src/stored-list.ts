import { isToolResult } from '@palimpsest/events';
import type { EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { isAnsweredInPlace, isPending, notYet } from './batches.js';
import type { Batch, Call } from './batches.js';
import { CutTracker } from './cut-tracker.js';
import type { BatchThinking } from './cut-tracker.js';
import { EventRuns } from './event-runs.js';
import { batchesInList, hasContent } from './list-analysis.js';
import type { ListSnapshot } from './list-analysis.js';
import { SentTracker } from './sent-tracker.js';
import { carriesThinking } from './stale-thinking.js';
import type { EstimateTokens } from './token-estimate.js';

/** What a stored list needs to know of the view that it belongs to. */
export interface StoredListOptions {
  /** Tool loops are atomic: the thinking mode is `latest-turn`. */
  readonly loops: boolean;
  readonly estimateTokens: EstimateTokens;
  /** Where an event stands in the log; undefined for summaries. */
  readonly positionOf: (id: EventId) => number | undefined;
  /** The keys of the runs that an event belongs to. @defaultValue the view has no properties */
  readonly runKeysOf?: ((id: EventId) => readonly string[] | undefined) | undefined;
}

/** Events and their calls, in arrays that nobody else holds, as they are at a position of the log. */
export interface EditedList extends ListSnapshot {
  readonly events: LLMConvertibleEvent[];
  readonly calls: (Call | undefined)[];
}

/** What an edit made of a list. */
export interface ListEdit {
  readonly after: EditedList;
  /** The first index at which the two lists differ. */
  readonly firstChanged: number;
  /** The batches of which something is forgotten that they are not sent without. */
  readonly brokenBatches: readonly Batch[];
  readonly forgetsSystemPrompt: boolean;
}

/**
 * A stored list that grows at its end, with its cut points. An edit makes a new one, so a snapshot that holds the old one
 * stays as it was. Token sums and indices are computed when they are first asked for, for the events that came since.
 */
export class StoredList {
  readonly events: LLMConvertibleEvent[];
  /** For each event the call that it makes or answers. */
  readonly calls: (Call | undefined)[];
  readonly cuts: CutTracker;
  /** The order in which it is sent. */
  readonly sent = new SentTracker();
  /** Undefined where the view has no properties. */
  readonly runs: EventRuns | undefined;
  readonly #options: StoredListOptions;
  readonly #tokenSums: number[];
  readonly #indices = new Map<EventId, number>();
  /** Batches of which a part is forgotten. */
  readonly #split: Set<Batch>;

  private constructor(
    options: StoredListOptions,
    parts: {
      readonly events: LLMConvertibleEvent[];
      readonly calls: (Call | undefined)[];
      readonly cuts: CutTracker;
      readonly tokenSums: number[];
      readonly split: Set<Batch>;
    },
  ) {
    this.#options = options;
    this.events = parts.events;
    this.calls = parts.calls;
    this.cuts = parts.cuts;
    this.#tokenSums = parts.tokenSums;
    this.#split = parts.split;
    const { runKeysOf } = options;
    this.runs = runKeysOf && new EventRuns();
    if (this.runs !== undefined) for (const { id } of this.events) this.runs.push(runKeysOf?.(id));
  }

  /** A list without events. */
  static empty(options: StoredListOptions): StoredList {
    const cuts = new CutTracker({ loops: options.loops });
    return new StoredList(options, { events: [], calls: [], cuts, tokenSums: [0], split: new Set() });
  }

  /** A list of some events. `stale` names those whose thinking no longer verifies. */
  static of(list: EditedList, stale: (id: EventId) => boolean, options: StoredListOptions): StoredList {
    const split = new Set<Batch>();
    for (const entry of batchesInList(list).values()) if (entry.state === 'split') split.add(entry.batch);
    const { events, calls } = list;
    const cuts = new CutTracker({ loops: options.loops });
    const stored = new StoredList(options, { events, calls, cuts, tokenSums: [0], split });
    stored.#track(0, list.position, stale);
    return stored;
  }

  /**
   * The list that an edit makes of this one. Up to `firstChanged` the two are equal, and what is known of that part is taken
   * over, so the cost is that of the part behind the last cut point before it; with properties that of the list.
   */
  edited(edit: ListEdit, stale: (id: EventId) => boolean): StoredList {
    const { after, firstChanged, brokenBatches } = edit;
    // Whether the first unit behind a cut continues a loop depends on what stands before it.
    if (this.#options.loops) return StoredList.of(after, stale, this.#options);
    const { cuts, from } = this.cuts.upTo(firstChanged);
    const split = new Set(this.#split);
    for (const batch of brokenBatches) if (!split.has(batch) && isAnswered(batch, after.position)) split.add(batch);
    const tokenSums = this.#tokenSums.slice(0, firstChanged + 1);
    const { events, calls } = after;
    const stored = new StoredList(this.#options, { events, calls, cuts, tokenSums, split });
    stored.#track(from, after.position, stale);
    return stored;
  }

  /** Finds the cut points of the events from an index on, as they are at a position of the log. */
  #track(from: number, position: number, stale: (id: EventId) => boolean): void {
    for (let index = from; index < this.events.length; index++) {
      const event = this.events[index] as LLMConvertibleEvent;
      const call = this.calls[index];
      if (event.type === 'action') {
        if (call === undefined || call.repeated || this.#split.has(call.batch)) continue;
        const pending = isPending(call, position) || isAnsweredInPlace(call, position);
        if (!pending && !isAnswered(call.batch, position)) continue;
        this.cuts.action(index, { batch: call.batch, thinking: thinkingOf(call.batch, stale), pending });
      } else if (isToolResult(event)) {
        this.#result(index, call);
      } else {
        if (event.type === 'message' && event.role === 'assistant') {
          this.cuts.sealBefore((this.#options.positionOf(event.id) ?? notYet - 1) + 1);
        }
        if (event.type !== 'system-prompt' && hasContent(event)) this.cuts.plain(index);
      }
    }
    this.cuts.sealBefore(position);
  }

  #result(index: number, call: Call | undefined): void {
    if (call === undefined) return;
    if (!call.late) {
      if (!this.#split.has(call.batch)) this.cuts.result(index, call.batch);
    } else if (this.indexOf(call.action.id, index) !== undefined) {
      this.cuts.late(index);
    }
  }

  /** Adds one event that has just been appended to the log, and the call that it makes or answers. */
  push(event: LLMConvertibleEvent, call: Call | undefined, stale: (id: EventId) => boolean): void {
    const index = this.events.push(event) - 1;
    this.calls.push(call);
    this.runs?.push(this.#options.runKeysOf?.(event.id));
    switch (event.type) {
      case 'action':
        this.cuts.sealBefore(notYet);
        if (call === undefined || call.repeated || this.#split.has(call.batch)) return;
        this.cuts.action(index, { batch: call.batch, thinking: thinkingOf(call.batch, stale), pending: true });
        return;
      case 'observation':
      case 'user-reject-observation':
      case 'agent-error':
        this.#result(index, call);
        return;
      case 'message':
      case 'condensation-summary':
        if (event.type === 'message' && event.role === 'assistant') this.cuts.sealBefore(notYet);
        if (hasContent(event)) this.cuts.plain(index);
        return;
      case 'system-prompt':
    }
  }

  /** Where an event stands among the first `length`. */
  indexOf(id: EventId, length: number): number | undefined {
    for (let index = this.#indices.size; index < this.events.length; index++) {
      this.#indices.set((this.events[index] as LLMConvertibleEvent).id, index);
    }
    const index = this.#indices.get(id);
    return index !== undefined && index < length ? index : undefined;
  }

  /** The size of the first `length` events. */
  tokens(length: number): number {
    for (let index = this.#tokenSums.length - 1; index < length; index++) {
      const event = this.events[index] as LLMConvertibleEvent;
      this.#tokenSums.push((this.#tokenSums[index] as number) + this.#options.estimateTokens(event));
    }
    return this.#tokenSums[length] as number;
  }
}

function thinkingOf(batch: Batch, stale: (id: EventId) => boolean): BatchThinking {
  const carrier = batch.calls[0]?.action;
  if (carrier === undefined || !carriesThinking(carrier)) return 'none';
  return stale(carrier.id) ? 'stale' : 'fresh';
}

/** True for a batch of which a call was answered in place, so that a part of it is sent. */
function isAnswered(batch: Batch, position: number): boolean {
  return batch.calls.some((call) => isAnsweredInPlace(call, position));
}
