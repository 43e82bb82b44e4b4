import type { Batch } from './batches.js';
import type { CutPoints } from './cut-points.js';

/** The thinking of a batch. Stale thinking neither continues nor starts a tool loop. */
export type BatchThinking = 'fresh' | 'stale' | 'none';

/** An event that may later prove to be inside a unit: words, or a late pair. */
interface Waiting {
  readonly index: number;
  readonly kind: 'plain' | 'late';
}

/** The batch whose units are still growing. */
interface OpenBatch {
  readonly batch: Batch;
  readonly index: number;
  /** The batch continues the tool loop before it: there is no cut point between the two. */
  readonly glued: boolean;
  /** The batch starts a tool loop. */
  readonly startsLoop: boolean;
  pending: number;
  /** The index of the newest result in place. */
  lastResult: number | undefined;
  /** Words stand between its first action and its newest result: they are sent after it and end the loop. */
  wordsInside: boolean;
  /** The events since the first action, as long as no call is answered. */
  waiting: Waiting[] | undefined;
}

/**
 * Finds the cut points of a stored list while it grows, at constant cost per event. The tracker stores the final cut points,
 * which later events cannot remove, and one region at the end of the list in which every index is a cut point for now.
 *
 * A batch is a unit from its first action to its last result in place. With `loops`, so is a tool loop: a batch with thinking
 * and the batches without thinking that follow it with no words between.
 */
export class CutTracker {
  #final: number[] = [];
  readonly #loops: boolean;
  #regionStart = 0;
  #inLoop = false;
  #open: OpenBatch | undefined;
  /** There are words after the newest result of the open batch. */
  #wordsAfterOpen = false;

  constructor(options: { readonly loops: boolean }) {
    this.#loops = options.loops;
  }

  /** Adds words that are sent at their own index, or after the batch that contains them. */
  plain(index: number): void {
    const open = this.#open;
    if (open === undefined) {
      this.#endRegion(index);
      this.#inLoop = false;
    } else if (open.lastResult === undefined) {
      (open.waiting ??= []).push({ index, kind: 'plain' });
    } else {
      this.#afterOpen({ index, kind: 'plain' });
    }
  }

  /** Adds a late result. It is sent together with its call at the index of the result. */
  late(index: number): void {
    const open = this.#open;
    if (open === undefined) this.#lateOutside(index);
    else if (open.lastResult === undefined) (open.waiting ??= []).push({ index, kind: 'late' });
    else this.#afterOpen({ index, kind: 'late' });
  }

  /** Adds an action of a batch that is sent or may still be sent. `pending`: the action may still get a result in place. */
  action(
    index: number,
    options: { readonly batch: Batch; readonly thinking: BatchThinking; readonly pending: boolean },
  ): void {
    const { batch, thinking, pending } = options;
    if (this.#open !== undefined && this.#open.batch !== batch) this.seal();
    this.#open ??= {
      batch,
      index,
      glued: this.#loops && this.#inLoop && thinking === 'none',
      startsLoop: this.#loops && thinking === 'fresh',
      pending: 0,
      lastResult: undefined,
      wordsInside: false,
      waiting: undefined,
    };
    if (pending) this.#open.pending++;
  }

  /** Adds a result in place. It is not sent if no action of its batch precedes it. */
  result(index: number, batch: Batch): void {
    const open = this.#open;
    if (open?.batch !== batch) return;
    open.pending--;
    if (open.lastResult === undefined) {
      if (!open.glued) this.#endRegion(open.index);
      open.wordsInside = open.waiting?.some(({ kind }) => kind === 'plain') ?? false;
      open.waiting = undefined;
    } else if (this.#wordsAfterOpen) {
      open.wordsInside = true;
    }
    open.lastResult = index;
    this.#wordsAfterOpen = false;
    this.#regionStart = index + 1;
    this.#inLoop = !open.wordsInside && (open.startsLoop || open.glued);
  }

  /** Ends the open batch: it gets no further call and no further result in place. */
  seal(): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    if (this.#wordsAfterOpen) this.#inLoop = false;
    this.#wordsAfterOpen = false;
    for (const { index, kind } of open.waiting ?? []) {
      if (kind === 'plain') this.plain(index);
      else this.late(index);
    }
  }

  /**
   * A tracker with the final cut points up to an index, and the index from which the remaining events must be added to it. Not
   * usable with `loops`, because a part of a loop may precede a cut point.
   */
  upTo(index: number): { readonly cuts: CutTracker; readonly from: number } {
    const known = firstAtOrAfter(this.#final, this.#final.length, index + 1);
    const cuts = new CutTracker({ loops: this.#loops });
    const from = known === 0 ? 0 : (this.#final[known - 1] as number);
    cuts.#final = this.#final.slice(0, Math.max(0, known - 1));
    cuts.#regionStart = from;
    return { cuts, from };
  }

  /** Seals the open batch if it was sealed before a position of the log. */
  sealBefore(position: number): void {
    if (this.#open !== undefined && this.#open.batch.sealedAt < position) this.seal();
  }

  /** The current cut points of the first `length` events. Constant cost; later events do not change the snapshot. */
  snapshot(length: number): CutPointList {
    const open = this.#open;
    if (open === undefined) return new CutPointList(this.#final, this.#regionStart, length);
    if (open.lastResult === undefined) {
      return new CutPointList(this.#final, this.#regionStart, open.glued ? -1 : open.index);
    }
    return new CutPointList(this.#final, this.#regionStart, open.pending > 0 ? -1 : length);
  }

  #afterOpen({ index, kind }: Waiting): void {
    if (kind === 'plain') this.#wordsAfterOpen = true;
    else if (this.#inLoop && !this.#wordsAfterOpen) this.#regionStart = index + 1;
  }

  /** A late pair has no thinking. Inside a loop it is a part of the loop; outside of a loop it is a unit of its own. */
  #lateOutside(index: number): void {
    if (!(this.#loops && this.#inLoop)) this.#endRegion(index);
    this.#regionStart = index + 1;
  }

  /** Makes every index of the region up to `index` a final cut point, because later events can no longer change them. */
  #endRegion(index: number): void {
    for (let cut = this.#regionStart; cut <= index; cut++) this.#final.push(cut);
    this.#regionStart = index + 1;
  }
}

/** The final cut points and the region behind them; `end < start` is an empty region. */
export class CutPointList implements CutPoints {
  readonly #final: readonly number[];
  readonly #finalLength: number;
  readonly #start: number;
  readonly #end: number;

  constructor(final: readonly number[], start: number, end: number) {
    this.#final = final;
    this.#finalLength = final.length;
    this.#start = start;
    this.#end = end;
  }

  /** The last final cut point; -1 if there is none. */
  get lastFinal(): number {
    return this.#finalLength === 0 ? -1 : (this.#final[this.#finalLength - 1] as number);
  }

  has(index: number): boolean {
    return this.atOrAfter(index) === index;
  }

  atOrAfter(index: number): number | undefined {
    const position = firstAtOrAfter(this.#final, this.#finalLength, index);
    if (position < this.#finalLength) return this.#final[position];
    const inRegion = Math.max(Math.ceil(index), this.#start);
    return inRegion <= this.#end ? inRegion : undefined;
  }

  atOrBefore(index: number): number | undefined {
    const inRegion = Math.min(Math.floor(index), this.#end);
    if (inRegion >= this.#start) return inRegion;
    const position = firstAtOrAfter(this.#final, this.#finalLength, Math.floor(index) + 1);
    return position === 0 ? undefined : this.#final[position - 1];
  }

  *[Symbol.iterator](): Iterator<number> {
    for (let position = 0; position < this.#finalLength; position++) yield this.#final[position] as number;
    for (let index = this.#start; index <= this.#end; index++) yield index;
  }
}

/** The position of the first of the ascending numbers that is not smaller than `index`. */
export function firstAtOrAfter(ascending: readonly number[], length: number, index: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] as number) < index) low = middle + 1;
    else high = middle;
  }
  return low;
}
