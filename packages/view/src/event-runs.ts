import type { CutPoints } from './cut-points.js';
import { firstAtOrAfter } from './cut-tracker.js';
import type { CutPointList } from './cut-tracker.js';
import { longestRun } from './view-property.js';

/**
 * The runs of a stored list, found while it grows, and what they leave of its cut points. Adding an event costs O(keys); the cut
 * points of a list that grew cost what is new and the last {@link longestRun} events, when they are first asked for.
 */
export class EventRuns {
  /** For each index where the first of the runs begins that its event joins; itself where it joins none. Never changes. */
  readonly #starts: number[] = [];
  /** For each key where its newest run begins. */
  readonly #newest = new Map<string, number>();
  /** The cut points that no later event takes back, as far as they were asked for. */
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

  /** What the runs leave of the cut points of the first `length` events. Later events do not change it. */
  cutPoints(base: CutPointList, length: number): CutPoints {
    return new RunCutPoints(() => this.#kept(base, length));
  }

  #kept(base: CutPointList, length: number): KeptCuts {
    // A run that begins before an index reaches at most this far behind it.
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

  /** The cut points from one index to another that stand in no run, or so far behind the last one that they count all the same. */
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

/** Ascending cut points: the first `count` of a list that only grows, and those behind them. */
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
