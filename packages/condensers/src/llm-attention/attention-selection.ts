import type { Unit } from '@palimpsest/view';

/** A unit that can be forgotten, and the room that it needs to stay. */
export interface WeighedUnit extends Unit {
  /** The number of its events, without those that stay in any case. Unit: events. */
  readonly events: number;
  /** The size of these events. Unit: tokens. */
  readonly tokens: number;
}

/** The room for units that stay. */
export interface Room {
  /** Unit: events. */
  readonly events: number;
  /** Unit: tokens. */
  readonly tokens: number;
}

/**
 * Selects the units that stay: first the units of the ranked events, the most important first, then the newest ones. A unit stays
 * whole, if there is room for it. Ranks without an event in this view, and repeated ranks, take no room.
 *
 * @see LLMAttentionCondenser of OpenHands at d6fab190, without its faults: there, unknown and repeated ids, and those of the
 *   first events, take room, also when it fills up with the newest
 */
export function selectByRank(
  units: readonly WeighedUnit[],
  { ranked, room }: { readonly ranked: readonly number[]; readonly room: Room },
): ReadonlySet<WeighedUnit> {
  const named = new Set(ranked);
  const unitAt = new Map<number, WeighedUnit>();
  for (const unit of units)
    for (let index = unit.start; index < unit.end; index++) if (named.has(index)) unitAt.set(index, unit);
  const chosen = new Set<WeighedUnit>();
  let { events, tokens } = room;
  const choose = (unit: WeighedUnit | undefined): void => {
    if (unit === undefined || chosen.has(unit) || unit.events > events || unit.tokens > tokens) return;
    chosen.add(unit);
    events -= unit.events;
    tokens -= unit.tokens;
  };
  for (const index of ranked) choose(unitAt.get(index));
  for (const unit of units.toReversed()) choose(unit);
  return chosen;
}
