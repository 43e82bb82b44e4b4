import { isToolResult } from '@palimpsest/events';
import type { EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { isAnsweredInPlace, isPending } from './batches.js';
import type { Batch, Call } from './batches.js';
import { CutTracker } from './cut-tracker.js';
import type { BatchThinking } from './cut-tracker.js';
import { batchesInList, hasContent } from './list-analysis.js';
import type { ListSnapshot } from './list-analysis.js';
import { carriesThinking } from './stale-thinking.js';
import type { EstimateTokens } from './token-estimate.js';

/** What a stored list needs to know of the view that it belongs to. */
export interface StoredListOptions {
  /** Tool loops are atomic: the thinking mode is `latest-turn`. */
  readonly loops: boolean;
  readonly estimateTokens: EstimateTokens;
}

/**
 * A stored list that grows at its end, with its cut points. An edit makes a new one, so a snapshot that holds the old one
 * stays as it was. Token sums and indices are computed when they are first asked for, for the events that came since.
 */
export class StoredList {
  readonly events: LLMConvertibleEvent[] = [];
  /** For each event the call that it makes or answers. */
  readonly calls: (Call | undefined)[] = [];
  readonly cuts: CutTracker;
  readonly #estimateTokens: EstimateTokens;
  readonly #tokenSums: number[] = [0];
  readonly #indices = new Map<EventId, number>();
  readonly #split = new Set<Batch>();

  constructor(options: StoredListOptions) {
    this.cuts = new CutTracker({ loops: options.loops });
    this.#estimateTokens = options.estimateTokens;
  }

  /** The list of some events, as an edit leaves them. `stale` names those whose thinking no longer verifies. */
  static of(list: ListSnapshot, stale: (id: EventId) => boolean, options: StoredListOptions): StoredList {
    const stored = new StoredList(options);
    const batches = batchesInList(list);
    const actionsInList = new Set<Call>();
    for (const entry of batches.values()) if (entry.state === 'split') stored.#split.add(entry.batch);
    for (let index = 0; index < list.length; index++) {
      const event = list.events[index] as LLMConvertibleEvent;
      const call = list.calls[index];
      stored.events.push(event);
      stored.calls.push(call);
      if (event.type === 'action') {
        if (call === undefined || call.repeated) continue;
        actionsInList.add(call);
        if (stored.#split.has(call.batch)) continue;
        const pending = isPending(call, list.position) || isAnsweredInPlace(call, list.position);
        if (!pending && batches.get(call.batch)?.state === 'unanswered') continue;
        stored.cuts.action(index, { batch: call.batch, thinking: thinkingOf(call.batch, stale), pending });
      } else if (isToolResult(event)) {
        if (call === undefined || !actionsInList.has(call)) continue;
        if (call.late) stored.cuts.late(index);
        else if (!stored.#split.has(call.batch)) stored.cuts.result(index);
      } else {
        if (event.type === 'message' && event.role === 'assistant') stored.cuts.sealUnless(event.llmResponseId);
        if (event.type !== 'system-prompt' && hasContent(event)) stored.cuts.plain(index);
      }
    }
    stored.cuts.sealBefore(list.position);
    return stored;
  }

  /** Adds one event that has just been appended to the log, and the call that it makes or answers. */
  push(event: LLMConvertibleEvent, call: Call | undefined, stale: (id: EventId) => boolean): void {
    const index = this.events.push(event) - 1;
    this.calls.push(call);
    switch (event.type) {
      case 'action':
        this.cuts.sealBefore(Infinity);
        if (call === undefined || call.repeated || this.#split.has(call.batch)) return;
        this.cuts.action(index, { batch: call.batch, thinking: thinkingOf(call.batch, stale), pending: true });
        return;
      case 'observation':
      case 'user-reject-observation':
      case 'agent-error':
        if (call === undefined) return;
        if (!call.late) {
          if (!this.#split.has(call.batch)) this.cuts.result(index);
        } else if (this.indexOf(call.action.id, index) !== undefined) {
          this.cuts.late(index);
        }
        return;
      case 'message':
      case 'condensation-summary':
        if (event.type === 'message' && event.role === 'assistant') this.cuts.sealBefore(Infinity);
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
      this.#tokenSums.push((this.#tokenSums[index] as number) + this.#estimateTokens(event));
    }
    return this.#tokenSums[length] as number;
  }
}

function thinkingOf(batch: Batch, stale: (id: EventId) => boolean): BatchThinking {
  const carrier = batch.calls[0]?.action;
  if (carrier === undefined || !carriesThinking(carrier)) return 'none';
  return stale(carrier.id) ? 'stale' : 'fresh';
}
