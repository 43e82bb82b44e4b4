import { isToolResult } from '@palimpsest/events';
import type { EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { isAnsweredInPlace, isPending } from './batches.js';
import type { Appended, Batch } from './batches.js';
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
 * A stored list that grows at its end, with its cut points and token sums. An edit makes a new one, so a snapshot that
 * holds the old one stays as it was.
 */
export class StoredList {
  readonly events: LLMConvertibleEvent[] = [];
  /** `tokenSums[i]` is the size of the first `i` events. */
  readonly tokenSums: number[] = [0];
  readonly cuts: CutTracker;
  readonly #estimateTokens: EstimateTokens;
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
    const actionsInList = new Set<EventId>();
    for (const entry of batches.values()) if (entry.state === 'split') stored.#split.add(entry.batch);
    for (const event of list.events) {
      const index = stored.#store(event);
      const call = event.type === 'action' || isToolResult(event) ? list.ledger.callOf(event.id) : undefined;
      if (event.type === 'action') {
        actionsInList.add(event.id);
        if (call === undefined || call.repeated || stored.#split.has(call.batch)) continue;
        const pending = isPending(call, list.position);
        const counts = pending || isAnsweredInPlace(call, list.position);
        const state = batches.get(call.batch)?.state;
        if (!counts && state === 'unanswered') continue;
        stored.cuts.action(index, { batch: call.batch, thinking: thinkingOf(call.batch, stale), pending: counts });
      } else if (isToolResult(event)) {
        if (call === undefined || !actionsInList.has(call.action.id)) continue;
        if (call.late) stored.cuts.late(index);
        else if (!stored.#split.has(call.batch)) stored.cuts.result(index);
      } else {
        if (event.type === 'message' && event.role === 'assistant') stored.cuts.sealUnless(event.llmResponseId);
        stored.#words(event, index);
      }
    }
    stored.cuts.sealBefore(list.position);
    return stored;
  }

  /** Adds one event that has just been appended to the log. */
  push(event: LLMConvertibleEvent, appended: Appended): void {
    const index = this.#store(event);
    switch (appended.kind) {
      case 'call': {
        const { call, sealed } = appended;
        if (sealed !== undefined) this.cuts.seal();
        if (call.repeated || this.#split.has(call.batch)) return;
        this.cuts.action(index, { batch: call.batch, thinking: thinkingOf(call.batch, () => false), pending: true });
        return;
      }
      case 'result': {
        const { call } = appended;
        if (call.late) {
          if (this.indexOf(call.action.id, index) !== undefined) this.cuts.late(index);
        } else if (!this.#split.has(call.batch)) this.cuts.result(index);
        return;
      }
      case 'unmatched-result':
        return;
      case 'other':
        if (appended.sealed !== undefined) this.cuts.seal();
        this.#words(event, index);
    }
  }

  /** Where an event stands among the first `length`. Cost: one look-up, after the events that came since the last one. */
  indexOf(id: EventId, length: number): number | undefined {
    for (let index = this.#indices.size; index < this.events.length; index++) {
      this.#indices.set((this.events[index] as LLMConvertibleEvent).id, index);
    }
    const index = this.#indices.get(id);
    return index !== undefined && index < length ? index : undefined;
  }

  #store(event: LLMConvertibleEvent): number {
    const index = this.events.push(event) - 1;
    this.tokenSums.push((this.tokenSums[index] as number) + this.#estimateTokens(event));
    return index;
  }

  #words(event: LLMConvertibleEvent, index: number): void {
    const isWords = event.type === 'message' || event.type === 'condensation-summary';
    if (isWords && hasContent(event)) this.cuts.plain(index);
  }
}

function thinkingOf(batch: Batch, stale: (id: EventId) => boolean): BatchThinking {
  const carrier = batch.calls[0]?.action;
  if (carrier === undefined || !carriesThinking(carrier)) return 'none';
  return stale(carrier.id) ? 'stale' : 'fresh';
}
