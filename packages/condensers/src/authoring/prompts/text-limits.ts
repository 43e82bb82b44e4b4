/** The length limit of each text. */
export interface TextLimits {
  /** The number of oldest texts that are left out entirely. */
  readonly leftOut: number;
  /** The limit of each text, the oldest first. Unit: characters. */
  readonly limits: readonly number[];
}

/** The shortest limit of a text. If even this is too long, the oldest texts are left out. Unit: characters. */
export const shortestLimit = 120;
/** The limit of the oldest text. Unit: share of the newest text's limit. */
const shareOfOldest = 0.2;

/**
 * Divides a room among texts, the oldest first. If all texts fit, each up to `longest`, they stay whole; otherwise older texts
 * are cut shorter. Linear in the texts.
 */
export function textLimits(
  lengths: readonly number[],
  { room, longest }: { readonly room: number; readonly longest: number },
): TextLimits {
  const wanted = lengths.map((length) => Math.min(length, longest));
  if (sum(wanted) <= room) return { leftOut: 0, limits: wanted };
  const last = Math.max(1, lengths.length - 1);
  const limitOf = (index: number, newest: number): number =>
    Math.min(
      wanted[index] ?? 0,
      Math.max(shortestLimit, Math.floor(newest * (shareOfOldest + ((1 - shareOfOldest) * index) / last))),
    );
  const totalFor = (newest: number): number => {
    let total = 0;
    for (let index = 0; index < wanted.length; index++) total += limitOf(index, newest);
    return total;
  };
  let low = 0;
  // Of thousands of texts often not even the beginnings fit, which one look shows.
  let high = totalFor(1) > room ? 0 : longest;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (totalFor(middle) <= room) low = middle;
    else high = middle - 1;
  }
  const limits = wanted.map((_, index) => limitOf(index, low));
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
