import { keptEventIds, newestStep, unitsOf } from '@palimpsest/view';
import type { Unit, View } from '@palimpsest/view';
import type { Requirement } from '../authoring/rolling/requirement.js';

/** The units that can be forgotten, and the room for them. */
interface Choice {
  readonly candidates: readonly WeighedUnit[];
  readonly room: Room;
  /** Unit: events. */
  readonly forgettable: number;
  /** True if all of them fit. */
  readonly isAllKept: boolean;
  /** The number of events to request from the model. */
  readonly wanted: number;
}

/**
 * Returns the candidates within the limits: the units between the first events and the newest step, without those that stay in any case.
 */
export function choiceOf(
  view: View,
  { reasons, tokenBudget = Infinity }: Requirement,
  { maxSize, keepFirst }: { readonly maxSize: number; readonly keepFirst: number },
): Choice {
  const { length } = view.events;
  const head = view.cutPoints.atOrAfter(keepFirst) ?? length;
  const newest = newestStep(view).cutPoint;
  const kept = keptEventIds(view);
  const candidates: WeighedUnit[] = [];
  let forgettable = 0;
  let forgettableTokens = 0;
  const keptIndices = new Set([...kept].map((id) => view.indexOf(id)));
  for (const { start, end } of unitsOf(view)) {
    if (start < head || end > newest) continue;
    let [events, tokens] = [0, 0];
    for (let index = start; index < end; index++) {
      if (keptIndices.has(index)) continue;
      events++;
      tokens += view.tokens(index, index + 1);
    }
    if (events === 0) continue;
    candidates.push({ start, end, events, tokens });
    forgettable += events;
    forgettableTokens += tokens;
  }
  const size = reasons.includes('request') ? Math.min(maxSize, length) : maxSize;
  const target = reasons.some((reason) => reason !== 'tokens') ? Math.floor(size / 2) : Infinity;
  const protectedBehindHead = [...kept].filter((id) => (view.indexOf(id) ?? -1) >= head).length;
  const events = target - (length - forgettable - protectedBehindHead);
  const tokens = reasons.includes('tokens')
    ? Math.floor(tokenBudget / 2) - (view.tokens() - forgettableTokens)
    : Infinity;
  const share = Math.min(events / Math.max(1, forgettable), tokens / Math.max(1, forgettableTokens), 1);
  return {
    candidates,
    room: { events, tokens },
    forgettable,
    isAllKept: events >= forgettable && tokens >= forgettableTokens,
    wanted: Math.max(1, Math.ceil(share * forgettable)),
  };
}

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
