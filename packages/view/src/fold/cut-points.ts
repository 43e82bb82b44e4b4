import type { EventId } from '@palimpsest/events';
import { hasPendingCall } from './calls.js';
import type { SendOrder, SentBatch } from './send-order.js';
import { carriesThinking } from './stale-thinking.js';
import type { StoredBatches, StoredBatch, StoredList } from './stored-list.js';

/**
 * The indices at which the stored list may be cut without breaking a provider's rules, in ascending order. Index `i` is the cut
 * before the event at `i`. The list's length is the cut after the last event.
 */
export interface CutPoints extends Iterable<number> {
  has(index: number): boolean;
  /** The smallest cut point that is not smaller than the index. */
  atOrAfter(index: number): number | undefined;
  /** The greatest cut point that is not greater than the index. */
  atOrBefore(index: number): number | undefined;
}

/** Events that must stay together: the indices from `first` to `last`, which is infinite while they may still grow. */
interface Atom {
  readonly first: number;
  readonly last: number;
}

/** The options of {@link cutPointsOf}. */
export interface CutOptions {
  /** The send order, where tool loops are atomic: the thinking mode is `latest-turn`. */
  readonly order: SendOrder | undefined;
  /** True for an event whose thinking no longer verifies: it holds no tool loop together. */
  readonly isStale: (id: EventId) => boolean;
}

/** Finds the indices at which a stored list may be cut: those that lie inside no batch and inside no tool loop. */
export function cutPointsOf(list: StoredList, batches: StoredBatches, options: CutOptions): readonly number[] {
  let open: StoredBatch | undefined;
  const atoms: Atom[] = [];
  for (const entry of batches.values()) {
    if (isOpen(entry, list.position)) open = entry;
    // A batch is sent whole or not at all, with the words between its events, which are sent after it.
    else if (entry.state === 'sent') atoms.push({ first: entry.index, last: entry.lastResult });
  }
  if (open !== undefined) atoms.push({ first: open.index, last: Infinity });
  if (options.order !== undefined) atoms.push(...loopsIn(options.order, batches, open, options.isStale));
  atoms.sort((a, b) => a.first - b.first);
  const cuts: number[] = [];
  let index = 0;
  for (const { first, last } of atoms) {
    while (index <= first) cuts.push(index++);
    index = Math.max(index, last + 1);
  }
  while (index <= list.events.length) cuts.push(index++);
  return cuts;
}

/** True for a batch that may still get a result in its place. */
function isOpen({ batch, state }: StoredBatch, position: number): boolean {
  return state !== 'split' && hasPendingCall(batch, position);
}

/**
 * The tool loops: a batch with thinking and the batches without that follow it with no words between, late pairs included. A
 * provider that checks the latest turn wants the thinking at its start, so a loop stays together.
 *
 * @see provider-rules A.5 and A16
 */
function loopsIn(
  order: SendOrder,
  batches: StoredBatches,
  open: StoredBatch | undefined,
  isStale: CutOptions['isStale'],
): readonly Atom[] {
  const loops: Atom[] = [];
  let loop: Atom | undefined;
  const end = (): void => {
    if (loop !== undefined) loops.push(loop);
    loop = undefined;
  };
  const extend = (first: number, last: number, carrier: SentBatch['response'][number] | undefined): void => {
    if (carrier === undefined || !carriesThinking(carrier)) {
      loop = loop && { first: loop.first, last };
      return;
    }
    end();
    loop = isStale(carrier.id) ? undefined : { first, last };
  };
  const lastResults = new Map([...batches.values()].map(({ index, lastResult }) => [index, lastResult]));
  for (const item of order.items) {
    // What stands behind the first call of an open batch is sent after it.
    if (open !== undefined && item.index > open.index) break;
    if (item.kind === 'words') end();
    else if (item.kind === 'late') loop = loop && { first: loop.first, last: item.index };
    else extend(item.index, lastResults.get(item.index) ?? item.index, item.response[0]);
  }
  if (open !== undefined) extend(open.index, Infinity, open.batch.calls[0]?.action);
  end();
  return loops;
}

/** The {@link CutPoints} of ascending indices. */
export class CutPointList implements CutPoints {
  readonly #cuts: readonly number[];

  constructor(cuts: readonly number[]) {
    this.#cuts = cuts;
  }

  has(index: number): boolean {
    return this.#cuts[this.#placeOf(index)] === index;
  }

  atOrAfter(index: number): number | undefined {
    return this.#cuts[this.#placeOf(index)];
  }

  atOrBefore(index: number): number | undefined {
    const place = this.#placeOf(index);
    return this.#cuts[place] === index ? index : this.#cuts[place - 1];
  }

  [Symbol.iterator](): Iterator<number> {
    return this.#cuts[Symbol.iterator]();
  }

  /** The place of the first cut point that is not smaller than an index. */
  #placeOf(index: number): number {
    let [low, high] = [0, this.#cuts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#cuts[middle] as number) < index) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
