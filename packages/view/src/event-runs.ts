import type { CutPoints } from './cut-points.js';
import { firstAtOrAfter } from './cut-tracker.js';
import type { CutPointList } from './cut-tracker.js';
import { longestRun } from './view-property.js';

/**
 * Finds the runs of a stored list while it grows, and the cut points that the runs do not remove. Adding an event costs
 * O(keys). Cut points are computed when they are first requested, at a cost linear in the new events and the last
 * {@link longestRun} events.
 */
export class EventRuns {
  /** For each index, the start of the first run that its event joins, or the index itself if it joins none. Never changes. */
  readonly #starts: number[] = [];
  /** For each key, the start of its newest run. */
  readonly #newest = new Map<string, number>();
  /** The final cut points computed so far. Later events do not remove them. */
  readonly #settled: number[] = [];
  #settledTo = -1;

  /** Adds the next event of the list. */
  push(keys: readonly string[] = []): void {
    const index = this.#starts.length;
    let start = index;
    for (const key of keys) {
      const first = this.#newest.get(key);
      if (first === undefined || index - first >= longestRun) this.#newest.set(key, index);
      else start = Math.min(start, first);
    }
    this.#starts.push(start);
  }

  /** Whether the event at an index joins a run that begins before it. */
  joins(index: number): boolean {
    return (this.#starts[index] ?? index) < index;
  }

  /** The cut points of the first `length` events that are not inside a run. Later events do not change the result. */
  cutPoints(base: CutPointList, length: number): CutPoints {
    return new RunCutPoints(() => this.#kept(base, length));
  }

  #kept(base: CutPointList, length: number): KeptCuts {
    // A run that begins before an index reaches at most `longestRun` events past it.
    const limit = Math.min(length - longestRun, base.lastFinal);
    if (limit > this.#settledTo) {
      this.#settled.push(...this.#keptBetween(base, this.#settledTo + 1, limit, length, this.#settled.at(-1) ?? 0));
      this.#settledTo = limit;
    }
    const count = firstAtOrAfter(this.#settled, this.#settled.length, limit + 1);
    const last = count === 0 ? 0 : (this.#settled[count - 1] as number);
    return {
      settled: this.#settled,
      count,
      tail: this.#keptBetween(base, Math.max(0, limit + 1), length, length, last),
    };
  }

  /**
   * The cut points in a range that are in no run, or so far after the last kept one that the limit on runs makes them valid.
   */
  #keptBetween(base: CutPoints, from: number, to: number, length: number, lastKept: number): readonly number[] {
    const cuts: number[] = [];
    for (let cut = base.atOrAfter(from); cut !== undefined && cut <= to; cut = base.atOrAfter(cut + 1)) cuts.push(cut);
    const inside = new Set<number>();
    let reach = Infinity;
    let index = Math.min(length, to + longestRun) - 1;
    for (const cut of [...cuts].reverse()) {
      for (; index >= cut; index--) reach = Math.min(reach, this.#starts[index] ?? index);
      if (reach < cut) inside.add(cut);
    }
    let last = lastKept;
    return cuts.filter((cut) => {
      const isKept = !inside.has(cut) || cut - last >= longestRun;
      if (isKept) last = cut;
      return isKept;
    });
  }
}

/** Ascending cut points: the first `count` of a list that only grows, followed by a separate tail. */
interface KeptCuts {
  readonly settled: readonly number[];
  readonly count: number;
  readonly tail: readonly number[];
}

class RunCutPoints implements CutPoints {
  readonly #find: () => KeptCuts;
  #found: KeptCuts | undefined;

  constructor(find: () => KeptCuts) {
    this.#find = find;
  }

  has(index: number): boolean {
    return this.atOrAfter(index) === index;
  }

  atOrAfter(index: number): number | undefined {
    const { settled, count, tail } = this.#kept;
    const place = firstAtOrAfter(settled, count, index);
    return place < count ? settled[place] : tail[firstAtOrAfter(tail, tail.length, index)];
  }

  atOrBefore(index: number): number | undefined {
    const { settled, count, tail } = this.#kept;
    const inTail = firstAtOrAfter(tail, tail.length, Math.floor(index) + 1);
    if (inTail > 0) return tail[inTail - 1];
    const place = firstAtOrAfter(settled, count, Math.floor(index) + 1);
    return place === 0 ? undefined : settled[place - 1];
  }

  *[Symbol.iterator](): Iterator<number> {
    const { settled, count, tail } = this.#kept;
    for (let place = 0; place < count; place++) yield settled[place] as number;
    yield* tail;
  }

  get #kept(): KeptCuts {
    return (this.#found ??= this.#find());
  }
}
