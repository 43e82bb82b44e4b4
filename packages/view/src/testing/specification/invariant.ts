import type { EventId, Message } from '@palimpsest/events';
import type { ListFacts } from './list-facts.js';

/**
 * Events that must stay together: the indices from `first` to `last` of a stored list. `last` is infinite while the atom may
 * grow.
 */
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
  /** The parts of a stored list that must not be cut. */
  units(facts: ListFacts, thinking: ThinkingFacts): readonly Atom[];
  /** The violations of the invariant in the messages. */
  violations(messages: readonly Message[], facts: ListFacts): readonly string[];
}

/** The indices at which a stored list may be cut: those that are inside no atom of any invariant. */
export function cutPointsOf(
  invariants: readonly Invariant[],
  facts: ListFacts,
  thinking: ThinkingFacts,
): readonly number[] {
  const atoms = invariants.flatMap((invariant) => invariant.units(facts, thinking));
  const indices = Array.from({ length: facts.events.length + 1 }, (_, index) => index);
  return indices.filter((index) => atoms.every(({ first, last }) => index <= first || index > last));
}
