import type { Condensation, EventId } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import { readFacts } from './event-facts.js';
import { factsFromMetadata } from './fact.js';
import type { Fact } from './fact.js';
import { Manifest } from './manifest.js';

/** The events and facts behind the summaries of a stretch of a view. */
export interface Lineage {
  /** All of their facts. */
  readonly manifest: Manifest;
  /** The facts that no condensation carries in its metadata, in the order of the log. */
  readonly newFacts: readonly Fact[];
  /** The condensations that carry facts and from which all other ones are reachable; stored in the metadata as `replaces`. */
  readonly replaces: readonly EventId[];
  /** The number of log events that the summaries cover. */
  readonly coveredEvents: number;
  /** The condensations whose facts the manifest holds, in the order of the log. */
  readonly chain: readonly Condensation[];
}

/** The manifest behind a condensation, its own facts included, and the condensations whose facts it holds. */
interface Behind {
  readonly manifest: Manifest;
  readonly chain: readonly Condensation[];
}

/**
 * A cache: the summary that replaces another one goes on with its manifest, so it costs what is new. A manifest is handed on, not
 * copied; where it is missing, such as after a restart, the facts are read again.
 */
const behind = new WeakMap<Condensation, Behind>();

/** Remembers the manifest of a new condensation, which replaces the summaries of a lineage. Do not change the manifest any more. */
export function rememberManifest(made: Condensation, { manifest, newFacts, chain }: Lineage): void {
  // Read again, the facts of foreign condensations stand behind those that are carried.
  if (newFacts.length === 0) behind.set(made, { manifest, chain: [...chain, made] });
}

/** The manifest behind the only summary of a stretch, if it is remembered and all of its condensations are in force. */
function handedOn(direct: ReadonlySet<EventId>, inForce: ReadonlyMap<EventId, Condensation>): Lineage | undefined {
  const [id = ''] = direct;
  const condensation = inForce.get(id);
  const known = condensation === undefined ? undefined : behind.get(condensation);
  if (direct.size !== 1 || condensation === undefined || known === undefined) return undefined;
  if (known.chain.some((earlier) => inForce.get(earlier.id) !== earlier)) return undefined;
  behind.delete(condensation);
  return { ...known, newFacts: [], replaces: [id], coveredEvents: coveredBy(condensation) };
}

/** The number of log events behind a condensation with facts. */
function coveredBy({ metadata, forgottenEventIds }: Condensation): number {
  const covered = metadata?.['coveredEvents'];
  return typeof covered === 'number' ? covered : forgottenEventIds.length;
}

/**
 * The facts behind summaries. Our condensations carry their facts through all generations, so no information decays. For a
 * summary of another condenser the text is kept, and the facts are read again from the events that it made forgotten. A reverted
 * condensation is ignored: its forgotten events are in the view again.
 */
export function lineageOf(
  view: View,
  summaries: readonly { readonly condensationId?: EventId | undefined }[],
): Lineage {
  const direct = new Set(
    summaries.flatMap(({ condensationId }) => (condensationId === undefined ? [] : [condensationId])),
  );
  const manifest = new Manifest();
  const newFacts: Fact[] = [];
  if (direct.size === 0) return { manifest, newFacts, replaces: [], coveredEvents: 0, chain: [] };
  const inForce = new Map<EventId, Condensation>();
  for (const condensation of view.condensations) inForce.set(condensation.id, condensation);
  const remembered = handedOn(direct, inForce);
  if (remembered !== undefined) return remembered;

  const carried = new Map<EventId, readonly Fact[]>();
  const roots = new Set<EventId>();
  const reached = new Set(direct);
  // Iterating over a set also yields the items that are added during the iteration.
  for (const id of reached) {
    const condensation = inForce.get(id);
    const itsFacts = factsFromMetadata(condensation?.metadata);
    if (itsFacts !== undefined) carried.set(id, itsFacts);
    const isRoot = direct.has(id) || roots.has(id);
    if (itsFacts === undefined) roots.delete(id);
    else if (isRoot) roots.add(id);
    for (const earlier of replacedBy(condensation, inForce)) {
      if (itsFacts === undefined && isRoot) roots.add(earlier);
      reached.add(earlier);
    }
  }

  const chain: Condensation[] = [];
  let coveredEvents = 0;
  for (const condensation of inForce.values()) {
    const { id, forgottenEventIds } = condensation;
    if (!reached.has(id)) continue;
    chain.push(condensation);
    const itsFacts = carried.get(id);
    if (itsFacts !== undefined) {
      if (roots.has(id)) coveredEvents += coveredBy(condensation);
      for (const fact of itsFacts) manifest.add(fact);
      continue;
    }
    coveredEvents += forgottenEventIds.filter((forgotten) => view.original(forgotten) !== undefined).length;
    const read = readFacts(
      forgottenEventIds.map((forgotten) => ({ id: forgotten })),
      view,
      manifest,
    );
    // A summary includes the earlier summaries that its writer read, so only the newest text of a chain is kept.
    const text: readonly Fact[] = direct.has(id) ? [{ kind: 'earlier-summary', eventId: id }] : [];
    for (const fact of text) manifest.add(fact);
    newFacts.push(...read, ...text);
  }
  return { manifest, newFacts, replaces: [...roots], coveredEvents, chain };
}

/** The condensations whose summaries another condensation forgot. */
function replacedBy(
  condensation: Condensation | undefined,
  inForce: ReadonlyMap<EventId, Condensation>,
): readonly EventId[] {
  if (condensation === undefined) return [];
  const named = condensation.metadata?.['replaces'];
  if (Array.isArray(named)) return named.filter((id): id is EventId => typeof id === 'string' && inForce.has(id));
  // Other condensers forget the summary's event without recording it; the view names that event after its condensation.
  return condensation.forgottenEventIds.flatMap((id) => {
    const earlier = id.replace(/-summary-*$/, '');
    return earlier !== id && inForce.has(earlier) ? [earlier] : [];
  });
}
