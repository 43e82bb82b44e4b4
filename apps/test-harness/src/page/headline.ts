import type { ReplayRow } from '../replay/replay-report.js';

/** The policy that costs least with the re-reads of what it forgot counted; none if nothing is cheaper than nothing. */
export function bestPolicy(rows: readonly ReplayRow[], price: number): string {
  const best = rows.reduce<ReplayRow | undefined>((least, row) => {
    const saved = (each: ReplayRow | undefined): number => each?.savings[price]?.withRereads ?? 0;
    return least === undefined || saved(row) > saved(least) ? row : least;
  }, undefined);
  return best?.condenser ?? '';
}

/** The points that no other point beats in both: a lower bill and a higher recall. By rising bill. */
export function frontier<Point extends { readonly cost: number; readonly recall: number }>(
  points: readonly Point[],
): readonly Point[] {
  let best = -Infinity;
  return [...points]
    .sort((one, other) => one.cost - other.cost || other.recall - one.recall)
    .filter(({ recall }) => recall > best && ((best = recall), true));
}
