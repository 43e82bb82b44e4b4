import type { Condensation, Event, EventId, LLMConvertibleEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import { remembered } from '../../authoring/calls/remembered.js';
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
const behind = new WeakMap<object, Behind>();

/**
 * By what a manifest is remembered: the facts that its last condensation carries. Those stay the same object when a pipeline writes its
 * stage into a copy of the condensation.
 */
function factsIn(condensation: Condensation | undefined): object | undefined {
  const facts = condensation?.metadata?.['facts'];
  return Array.isArray(facts) ? facts : condensation;
}

/** Remembers the manifest of a new condensation, which replaces the summaries of a lineage. Do not change the manifest any more. */
export function rememberManifest(made: Condensation, { manifest, newFacts, chain }: Lineage): void {
  // Read again, the facts of foreign condensations stand behind those that are carried.
  if (newFacts.length === 0) behind.set(factsIn(made) ?? made, { manifest, chain: [...chain, made] });
}

/** The manifest behind the only summary of a stretch, if it is remembered and all of its condensations are in force. */
function handedOn(direct: ReadonlySet<EventId>, inForce: ReadonlyMap<EventId, Condensation>): Lineage | undefined {
  const [id = ''] = direct;
  const condensation = inForce.get(id);
  const carried = factsIn(condensation);
  const known = carried === undefined ? undefined : behind.get(carried);
  if (direct.size !== 1 || condensation === undefined || carried === undefined || known === undefined) return undefined;
  if (known.chain.some((earlier) => factsIn(inForce.get(earlier.id)) !== factsIn(earlier))) return undefined;
  behind.delete(carried);
  return { ...known, newFacts: [], replaces: [id], coveredEvents: coveredBy(condensation) };
}

/** The number of log events behind a condensation with facts. */
function coveredBy({ metadata, forgottenEventIds }: Condensation): number {
  const covered = metadata?.['coveredEvents'];
  return typeof covered === 'number' ? covered : forgottenEventIds.length;
}

/**
 * Returns the facts behind summaries. Our condensations carry their facts through all generations, so no information
 * decays. For a summary of another condenser the text is kept, and the facts are read again from the events that it
 * made forgotten. A reverted condensation is ignored: its forgotten events are in the view again.
 */
export function lineageOf(
  view: View,
  summaries: readonly { readonly condensationId?: EventId | undefined }[],
): Lineage {
  const direct = madeBy(summaries);
  const manifest = new Manifest();
  const newFacts: Fact[] = [];
  if (direct.size === 0) return { manifest, newFacts, replaces: [], coveredEvents: 0, chain: [] };
  const inForce = condensationsOf(view);
  const known = handedOn(direct, inForce);
  if (known !== undefined) return known;

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
    const { id } = condensation;
    if (!reached.has(id)) continue;
    chain.push(condensation);
    const itsFacts = carried.get(id);
    if (itsFacts !== undefined) {
      if (roots.has(id)) coveredEvents += coveredBy(condensation);
      for (const fact of itsFacts) manifest.add(fact);
      continue;
    }
    const forgotten = forgottenBy(view, condensation);
    coveredEvents += forgotten.length;
    const read = readFacts(forgotten, view, manifest);
    // A summary includes the earlier summaries that its writer read, so only the newest text of a chain is kept.
    const text: readonly Fact[] = direct.has(id) ? [{ kind: 'earlier-summary', eventId: id }] : [];
    for (const fact of text) manifest.add(fact);
    newFacts.push(...read, ...text);
  }
  return { manifest, newFacts, replaces: [...roots], coveredEvents, chain };
}

/** A cache: the manifest behind a chain of condensations, by the last of them. One stays for a conversation. */
const chains = new WeakMap<Condensation, Behind>();

/** The facts that were read of a range, with those behind its summaries. */
interface RangeRead extends Behind {
  readonly ids: readonly EventId[];
}

/** A cache: what was read of a range, until a condensation forgets just that range. By its first event that the log holds. */
const ranges = new WeakMap<Event, RangeRead>();

/**
 * Returns the facts of a range and of what is behind its summaries, without the texts of these. Facts in `besides` are
 * known but not among them. Costs what is new: a range that was read is not read again when its summary is replaced.
 */
export function manifestThrough(view: View, range: readonly LLMConvertibleEvent[], besides: Manifest): Manifest {
  const summaries = range.filter((event) => event.type === 'condensation-summary');
  const { manifest: behindRange, chain } = chainBehind(view, madeBy(summaries));
  const manifest = behindRange.copy();
  let isAlone = true;
  const alone = (answer: boolean): boolean => {
    if (answer) isAlone = false;
    return answer;
  };
  readFacts(range, view, manifest, {
    knowsFile: (path) => alone(besides.knowsFile(path)),
    isFailing: (test) => alone(besides.isFailing(test)),
    isRunning: (id) => alone(besides.isRunning(id)),
  });
  const ids = range.map(({ id }) => id);
  const first = firstInLog(view, ids);
  // What is behind a summary does not depend on what stands before it.
  if (isAlone && first !== undefined) ranges.set(first, { ids, manifest, chain });
  return manifest;
}

/** The manifest of {@link lineageOf}, without the texts of summaries. Not to be changed. */
function chainBehind(view: View, direct: Set<EventId>): Behind {
  if (direct.size === 0) return { manifest: new Manifest(), chain: [] };
  const inForce = condensationsOf(view);
  const read = chainOfRange(view, direct, inForce);
  if (read !== undefined) return read;
  for (const id of direct) for (const earlier of replacedBy(inForce.get(id), inForce)) direct.add(earlier);
  const chain = [...inForce.values()].filter(({ id }) => direct.has(id));
  const known = knownChain(chain);
  if (known !== undefined) return known;
  const manifest = new Manifest();
  for (const condensation of chain) {
    const facts = factsFromMetadata(condensation.metadata);
    if (facts === undefined) readFacts(forgottenBy(view, condensation), view, manifest);
    else for (const fact of facts) manifest.add(fact);
  }
  return rememberChain({ manifest, chain });
}

/** The chain of the only summary of a range, if its condensation forgot just what was read last. */
function chainOfRange(
  view: View,
  direct: ReadonlySet<EventId>,
  inForce: ReadonlyMap<EventId, Condensation>,
): Behind | undefined {
  const [id = ''] = direct;
  const made = direct.size === 1 ? inForce.get(id) : undefined;
  if (made === undefined || made.metadata?.['replaces'] !== undefined) return undefined;
  if (factsFromMetadata(made.metadata) !== undefined) return undefined;
  const first = firstInLog(view, made.forgottenEventIds);
  const read = first && ranges.get(first);
  if (first === undefined || read === undefined || !isSameList(read.ids, made.forgottenEventIds)) return undefined;
  if (read.chain.some((earlier) => inForce.get(earlier.id) !== earlier)) return undefined;
  ranges.delete(first);
  return rememberChain({ manifest: read.manifest, chain: [...read.chain, made] });
}

function firstInLog(view: View, ids: readonly EventId[]): Event | undefined {
  const first = ids.find((id) => view.positionOf(id) !== undefined);
  return first === undefined ? undefined : view.original(first);
}

function rememberChain(behindChain: Behind): Behind {
  const [last, before] = [behindChain.chain.at(-1), behindChain.chain.at(-2)];
  if (before !== undefined) chains.delete(before);
  if (last !== undefined) chains.set(last, behindChain);
  return behindChain;
}

function isSameList<Item>(a: readonly Item[], b: readonly Item[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

function knownChain(chain: readonly Condensation[]): Behind | undefined {
  const last = chain.at(-1);
  const known = last && chains.get(last);
  return known !== undefined && isSameList(known.chain, chain) ? known : undefined;
}

/** The ids of the condensations that made some summaries. */
function madeBy(summaries: readonly { readonly condensationId?: EventId | undefined }[]): Set<EventId> {
  return new Set(summaries.flatMap(({ condensationId }) => (condensationId === undefined ? [] : [condensationId])));
}

function condensationsOf(view: View): ReadonlyMap<EventId, Condensation> {
  const inForce = new Map<EventId, Condensation>();
  for (const condensation of view.condensations) inForce.set(condensation.id, condensation);
  return inForce;
}

/** The events of the log that a condensation forgot: what it names and what stands before it. */
function forgottenBy(view: View, { id, forgottenEventIds }: Condensation): readonly { readonly id: EventId }[] {
  const position = view.positionOf(id) ?? 0;
  return forgottenEventIds
    .filter((forgotten) => (view.positionOf(forgotten) ?? position) < position)
    .map((forgotten) => ({ id: forgotten }));
}

/** The condensations whose summaries another condensation forgot. */
function replacedBy(
  condensation: Condensation | undefined,
  inForce: ReadonlyMap<EventId, Condensation>,
): readonly EventId[] {
  if (condensation === undefined) return [];
  const named = condensation.metadata?.['replaces'];
  if (Array.isArray(named)) return named.filter((id): id is EventId => typeof id === 'string' && inForce.has(id));
  return namedLikeSummaries(condensation.forgottenEventIds, undefined).filter((id) => inForce.has(id));
}

/** Other condensers forget a summary's event without recording it; the view names that event after its condensation. */
const namedLikeSummaries = /* @__PURE__ */ remembered((ids: readonly EventId[], _: undefined) =>
  ids.flatMap((id) => {
    const earlier = id.replace(/-summary-*$/, '');
    return earlier === id ? [] : [earlier];
  }),
);
