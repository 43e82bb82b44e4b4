/** How long each text may be. */
export interface TextLimits {
  /** The oldest texts that get nothing at all. */
  readonly leftOut: number;
  /** One for each text, the oldest first. Unit: characters. */
  readonly limits: readonly number[];
}

/** A text is not cut shorter than this; where that is too long still, the oldest are left out. Unit: characters. */
const shortest = 120;
/** What the oldest text gets. Unit: share of what the newest gets. */
const shareOfOldest = 0.2;

/**
 * Shares a room out among texts, the oldest first: each whole, up to `longest`, where that fits; else the older a text, the
 * shorter it is cut. Linear in the texts.
 */
export function textLimits(
  lengths: readonly number[],
  { room, longest }: { readonly room: number; readonly longest: number },
): TextLimits {
  const wanted = lengths.map((length) => Math.min(length, longest));
  if (sum(wanted) <= room) return { leftOut: 0, limits: wanted };
  const last = Math.max(1, lengths.length - 1);
  const limitsFor = (newest: number): number[] =>
    wanted.map((length, index) =>
      Math.min(length, Math.max(shortest, Math.floor(newest * (shareOfOldest + ((1 - shareOfOldest) * index) / last)))),
    );
  let low = 0;
  let high = longest;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sum(limitsFor(middle)) <= room) low = middle;
    else high = middle - 1;
  }
  const limits = limitsFor(low);
  let total = sum(limits);
  let leftOut = 0;
  while (total > room && leftOut < limits.length) {
    total -= limits[leftOut] ?? 0;
    limits[leftOut++] = 0;
  }
  return { leftOut, limits };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
