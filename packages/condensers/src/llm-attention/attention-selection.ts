import type { Unit } from '@palimpsest/view';

/** A unit that can go, and what it takes to keep it. */
export interface WeighedUnit extends Unit {
  /** Unit: events, without those that stay anyway. */
  readonly events: number;
  /** Unit: tokens, of these events. */
  readonly tokens: number;
}

/** What may be kept. */
export interface Room {
  /** Unit: events. */
  readonly events: number;
  /** Unit: tokens. */
  readonly tokens: number;
}

/**
 * Chooses what stays: first the units of the ranked events, the most important first, then the newest ones, each whole and as far
 * as there is room for it. Ranks that name no event here, or one that is chosen already, cost nothing.
 *
 * @see LLMAttentionCondenser of OpenHands at d6fab190, without its faults: unknown and repeated ids, and those of the first events,
 *   take room there, also when it fills up with the newest
 */
export function selectByRank(
  units: readonly WeighedUnit[],
  { ranked, room }: { readonly ranked: readonly number[]; readonly room: Room },
): ReadonlySet<WeighedUnit> {
  const unitAt = new Map<number, WeighedUnit>();
  for (const unit of units) for (let index = unit.start; index < unit.end; index++) unitAt.set(index, unit);
  const chosen = new Set<WeighedUnit>();
  let { events, tokens } = room;
  const choose = (unit: WeighedUnit | undefined): void => {
    if (unit === undefined || chosen.has(unit) || unit.events > events || unit.tokens > tokens) return;
    chosen.add(unit);
    events -= unit.events;
    tokens -= unit.tokens;
  };
  for (const index of ranked) choose(unitAt.get(index));
  for (const unit of [...units].reverse()) choose(unit);
  return chosen;
}
