import { isToolResult } from '@palimpsest/events';
import type { EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { isAnsweredInPlace, isPending, notYet } from './batches.js';
import type { Batch, Call } from './batches.js';
import { CutTracker } from './cut-tracker.js';
import type { BatchThinking } from './cut-tracker.js';
import { EventRuns } from './event-runs.js';
import { batchesInList, hasContent } from './list-analysis.js';
import type { ListSnapshot } from './list-analysis.js';
import { inheritMatches } from './matching-events.js';
import { firstDifference } from './replaced-events.js';
import type { ReplacedEvent } from './replaced-events.js';
import { SentTracker } from './sent-tracker.js';
import { carriesThinking } from './stale-thinking.js';
import type { EstimateTokens } from './token-estimate.js';

/** The data that a stored list needs from its view. */
export interface StoredListOptions {
  /** Tool loops are atomic: the thinking mode is `latest-turn`. */
  readonly loops: boolean;
  readonly estimateTokens: EstimateTokens;
  /** The position of an event in the log; undefined for summaries. */
  readonly positionOf: (id: EventId) => number | undefined;
  /** The keys of the runs that an event belongs to. @defaultValue the view has no properties */
  readonly runKeysOf?: ((id: EventId) => readonly string[] | undefined) | undefined;
}

/** Events and their calls at a position of the log. The list owns its arrays. */
export interface EditedList extends ListSnapshot {
  readonly events: LLMConvertibleEvent[];
  readonly calls: (Call | undefined)[];
}

/** The result of an edit of a list. */
export interface ListEdit {
  readonly after: EditedList;
  /** The edit only put copies in the place of events: ids, calls and cut points are the same. */
  readonly onlyCopies: boolean;
  /** The first index at which the two lists differ. */
  readonly firstChanged: number;
  /** The batches that are no longer sent, because an event that they require is forgotten. */
  readonly brokenBatches: readonly Batch[];
  readonly forgetsSystemPrompt: boolean;
}

/**
 * A stored list that grows at its end, with its cut points. An edit makes a new list, so snapshots of the old list stay valid.
 * Token sums and indices are computed when they are first read, for the events added since the last read.
 */
export class StoredList {
  readonly events: LLMConvertibleEvent[];
  /** For each event, the call that it makes or answers. */
  readonly calls: (Call | undefined)[];
  readonly cuts: CutTracker;
  /** The order in which the list is sent. */
  readonly sent = new SentTracker();
  /** Undefined if the view has no properties. */
  readonly runs: EventRuns | undefined;
  readonly #options: StoredListOptions;
  readonly #tokenSums: number[];
  /** Shared by lists with the same ids at the same indices. */
  readonly #indices: Map<EventId, number>;
  /** The batches that are partly forgotten. */
  readonly #split: Set<Batch>;
  #lastReplaced: { readonly replaced: readonly ReplacedEvent[]; readonly list: StoredList } | undefined;

  private constructor(
    options: StoredListOptions,
    parts: {
      readonly events: LLMConvertibleEvent[];
      readonly calls: (Call | undefined)[];
      readonly cuts: CutTracker;
      readonly tokenSums: number[];
      readonly split: Set<Batch>;
    },
    same?: StoredList,
  ) {
    this.#options = options;
    this.events = parts.events;
    this.calls = parts.calls;
    this.cuts = parts.cuts;
    this.#tokenSums = parts.tokenSums;
    this.#split = parts.split;
    this.#indices = same === undefined ? new Map<EventId, number>() : same.#indices;
    this.runs = same === undefined ? runsOf(this.events, options) : same.runs;
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
   * The list after an edit. Results for the part before `firstChanged` are reused, so the cost is linear in the events after
   * the last cut point before `firstChanged`. With properties the cost is linear in the whole list.
   */
  edited(edit: ListEdit, stale: (id: EventId) => boolean): StoredList {
    const { after, firstChanged, brokenBatches, onlyCopies } = edit;
    inheritMatches(after.events, this.events, firstChanged);
    // Whether the first unit after a cut continues a loop depends on the events before the cut.
    if (this.#options.loops) return StoredList.of(after, stale, this.#options);
    if (onlyCopies) return this.withCopies(after.events, firstChanged);
    const { cuts, from } = this.cuts.upTo(firstChanged);
    const split = new Set(this.#split);
    for (const batch of brokenBatches) if (!split.has(batch) && isAnswered(batch, after.position)) split.add(batch);
    const tokenSums = this.#tokenSums.slice(0, firstChanged + 1);
    const { events, calls } = after;
    const stored = new StoredList(this.#options, { events, calls, cuts, tokenSums, split });
    stored.#track(from, after.position, stale);
    return stored;
  }

  /**
   * The list with copies in the place of some events, for copies that change no cut point. Shares everything but the events and
   * their sizes. Of this list and those made of it at most one may grow.
   *
   * @param measured - a list with the same events before `firstChanged`, whose sizes are known. @defaultValue this list
   */
  withCopies(events: LLMConvertibleEvent[], firstChanged: number, measured: StoredList = this): StoredList {
    const tokenSums = measured.#tokenSums.slice(0, firstChanged + 1);
    const { calls, cuts } = this;
    return new StoredList(this.#options, { events, calls, cuts, tokenSums, split: this.#split }, this);
  }

  /**
   * {@link withCopies} for a view in which copies replace events. The sizes that the last such list has found are reused as long
   * as the replaced events are the same.
   */
  replaced(events: LLMConvertibleEvent[], replaced: readonly ReplacedEvent[]): StoredList {
    const last = this.#lastReplaced;
    const first = firstDifference(last?.replaced ?? [], replaced);
    const list = this.withCopies(events, first, last?.list);
    inheritMatches(events, (last?.list ?? this).events, first);
    this.#lastReplaced = { replaced, list };
    return list;
  }

  /** The replaced events of the last call of {@link replaced}. */
  get lastReplaced(): readonly ReplacedEvent[] | undefined {
    return this.#lastReplaced?.replaced;
  }

  /** Finds the cut points of the events from an index on, at a position of the log. */
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

  /** The index of an event among the first `length` events. */
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

function runsOf(
  events: readonly LLMConvertibleEvent[],
  { runKeysOf }: Pick<StoredListOptions, 'runKeysOf'>,
): EventRuns | undefined {
  if (runKeysOf === undefined) return undefined;
  const runs = new EventRuns();
  for (const { id } of events) runs.push(runKeysOf(id));
  return runs;
}

function thinkingOf(batch: Batch, stale: (id: EventId) => boolean): BatchThinking {
  const carrier = batch.calls[0]?.action;
  if (carrier === undefined || !carriesThinking(carrier)) return 'none';
  return stale(carrier.id) ? 'stale' : 'fresh';
}

/** True for a batch with a call that was answered in place. At least that call is sent. */
function isAnswered(batch: Batch, position: number): boolean {
  return batch.calls.some((call) => isAnsweredInPlace(call, position));
}
