/** Random numbers that are the same for the same seed, on every machine. */
export interface Random {
  /** An integer from 0 to `bound - 1`. */
  below(bound: number): number;
  /** An integer from `from` to `to`, both included. */
  between(from: number, to: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  /** One of the items; undefined of none. */
  pick<Item>(items: readonly Item[]): Item | undefined;
  /** The items in another order. */
  shuffle<Item>(items: readonly Item[]): readonly Item[];
}

/** Returns a {@link Random} of 32 bits of state. Not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  return {
    below,
    between: (from, to) => from + below(to - from + 1),
    chance: (probability) => next() < probability,
    pick: (items) => items[below(items.length)],
    shuffle: (items) => {
      const shuffled = [...items];
      for (let index = shuffled.length - 1; index > 0; index--) {
        const other = below(index + 1);
        [shuffled[index], shuffled[other]] = [shuffled[other] as never, shuffled[index] as never];
      }
      return shuffled;
    },
  };
}
