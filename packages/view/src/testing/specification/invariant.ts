import type { EventId, Message } from '@palimpsest/events';
import type { ListFacts } from './list-facts.js';

/** What must stay together: the indices from `first` to `last` of a stored list. `last` is infinite while it may grow. */
export interface Atom {
  readonly first: number;
  readonly last: number;
}

/** What decides whether thinking counts. */
export interface ThinkingFacts {
  /** The events whose thinking no longer verifies: it holds no tool loop together. */
  readonly stale: ReadonlySet<EventId>;
}

/** An invariant of what a model is sent, in its plain form: a definition to test against, not to compute with. */
export interface Invariant {
  readonly name: string;
  /** What of a stored list may not be cut through. */
  units(facts: ListFacts, thinking: ThinkingFacts): readonly Atom[];
  /** Where messages break it. */
  violations(messages: readonly Message[], facts: ListFacts): readonly string[];
}

/** The indices at which a stored list may be cut: those that no atom of any of the invariants forbids. */
export function cutPointsOf(
  invariants: readonly Invariant[],
  facts: ListFacts,
  thinking: ThinkingFacts,
): readonly number[] {
  const atoms = invariants.flatMap((invariant) => invariant.units(facts, thinking));
  const indices = Array.from({ length: facts.events.length + 1 }, (_, index) => index);
  return indices.filter((index) => atoms.every(({ first, last }) => index <= first || index > last));
}
