import type { EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { hasContent } from './list-analysis.js';
import { sentContent } from './stale-thinking.js';
import type { Replacement } from './view.js';

/** One event of a list and the copy that takes its place. */
export interface ReplacedEvent {
  readonly id: EventId;
  readonly index: number;
  readonly old: LLMConvertibleEvent;
  readonly replacement: Replacement;
  /** The copy, with the id of the event. */
  readonly copy: LLMConvertibleEvent;
  /** A model reads the same content. */
  readonly isSentAlike: boolean;
  /** The list may be cut at the same places. */
  readonly isCutAlike: boolean;
}

/** The list in which events are replaced. */
export interface ReplacedList {
  readonly events: readonly LLMConvertibleEvent[];
  /** The number of events in the list. The array may have grown since. */
  readonly length: number;
  indexOf(id: EventId): number | undefined;
}

/**
 * The events of a list that copies replace, in the order of the changes. Ids that are not in the list, and events that are
 * replaced by themselves, are left out. A policy that rewrites every step repeats the changes of the step before, so entries of
 * `last` are reused as long as the changes are the same.
 */
export function replacedEvents(
  changes: ReadonlyMap<EventId, Replacement>,
  list: ReplacedList,
  last: readonly ReplacedEvent[] = [],
): readonly ReplacedEvent[] {
  const replaced: ReplacedEvent[] = [];
  for (const [id, replacement] of changes) {
    const known = last[replaced.length];
    const entry =
      known !== undefined && isFor(known, id, replacement, list) ? known : replacedEvent(id, replacement, list);
    if (entry !== undefined) replaced.push(entry);
  }
  return replaced;
}

/** The first index at which lists with these replacements can differ; `Infinity` if they do not differ. */
export function firstDifference(a: readonly ReplacedEvent[], b: readonly ReplacedEvent[]): number {
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same++;
  let first = Infinity;
  for (let place = same; place < a.length; place++) first = Math.min(first, a[place]?.index ?? Infinity);
  for (let place = same; place < b.length; place++) first = Math.min(first, b[place]?.index ?? Infinity);
  return first;
}

function isFor(known: ReplacedEvent, id: EventId, { event, effectiveFrom }: Replacement, list: ReplacedList): boolean {
  return (
    known.id === id &&
    known.replacement.event === event &&
    known.replacement.effectiveFrom === effectiveFrom &&
    known.index < list.length &&
    list.events[known.index] === known.old
  );
}

function replacedEvent(id: EventId, replacement: Replacement, list: ReplacedList): ReplacedEvent | undefined {
  const index = list.indexOf(id);
  const old = index === undefined ? undefined : list.events[index];
  const { event } = replacement;
  if (index === undefined || old === undefined || old === event) return undefined;
  return {
    id,
    index,
    old,
    replacement,
    copy: event.id === id ? event : { ...event, id },
    isSentAlike: isSentAlike(old, event),
    isCutAlike: isCutAlike(old, event),
  };
}

/** A cache: policies that rewrite every step replace the same events by the same copies each time. */
const compared = new WeakMap<LLMConvertibleEvent, { readonly old: LLMConvertibleEvent; readonly isAlike: boolean }>();

function isSentAlike(old: LLMConvertibleEvent, event: LLMConvertibleEvent): boolean {
  const known = compared.get(event);
  if (known?.old === old) return known.isAlike;
  const isAlike = JSON.stringify(sentContent(old)) === JSON.stringify(sentContent(event));
  compared.set(event, { old, isAlike });
  return isAlike;
}

function isCutAlike(old: LLMConvertibleEvent, event: LLMConvertibleEvent): boolean {
  if (old.type === 'message')
    return event.type === 'message' && old.role === event.role && hasContent(old) === hasContent(event);
  if (old.type !== 'condensation-summary') return old.type === event.type;
  return event.type === old.type && hasContent(old) === hasContent(event);
}
