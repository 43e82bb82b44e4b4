/** Returns the sum of a figure of the items. */
export function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

/** Returns a part as a share; 1 of nothing. */
export function shareOf(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}

/** Returns what paying a part in place of the whole saves, as a share of the whole. */
export function savedOf(paid: number, whole: number): number {
  return whole === 0 ? 0 : 1 - paid / whole;
}
