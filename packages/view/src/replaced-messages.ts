import type { EventId, LLMConvertibleEvent, Message, SystemPromptEvent } from '@palimpsest/events';
import { firstDifference } from './replaced-events.js';
import type { ReplacedEvent } from './replaced-events.js';
import type { SentCall, SentItem, SentResult } from './sent-order.js';
import { SettledMessages } from './settled-messages.js';
import type { Rendering } from './settled-messages.js';
import { StaleScan } from './stale-thinking.js';
import type { SentEdit } from './stale-thinking.js';

/** The copies that take the place of some events of a list. They change neither the order nor the cut points. */
export interface Replacing {
  readonly replaced: readonly ReplacedEvent[];
  /** The copies that change what is sent. */
  edits(): ReadonlyMap<EventId, SentEdit>;
  positionOf(id: EventId): number | undefined;
  /** The last cut point at or before an index of the list. */
  cutAtOrBefore(index: number): number | undefined;
}

/** The order of a list without the copies: the first `settled` of `items`, then `rest`. */
export interface SourceOrder {
  readonly system: SystemPromptEvent | undefined;
  readonly items: readonly SentItem[];
  readonly settled: number;
  readonly rest: readonly SentItem[];
}

/**
 * The messages of a list in which copies replace some events, while the list grows. A policy that rewrites every step repeats
 * the changes of the step before, so only the items from the first new change on are rendered again.
 */
export class ReplacedMessages {
  readonly #rendering: Rendering;
  readonly #items: SentItem[] = [];
  readonly #messages: SettledMessages;
  #replaced: readonly ReplacedEvent[] = [];
  #copies: ReadonlyMap<EventId, LLMConvertibleEvent> = new Map();
  #edits: ReadonlyMap<EventId, SentEdit> = new Map();
  #system: SystemPromptEvent | undefined;
  /** The effect of a copy begins with an event that the log does not contain yet. */
  #awaitsEvent = false;
  /** The events whose thinking is stale because of the copies, and in the same order the places of their items. */
  readonly #stale = new Set<EventId>();
  readonly #staleAt: { readonly id: EventId; readonly place: number }[] = [];
  /** The places of the items after which more thinking is stale, and the positions of the log before which it is stale. */
  readonly #rises: { readonly place: number; readonly position: number }[] = [];

  constructor(rendering: Rendering) {
    this.#rendering = rendering;
    const isStale = (id: EventId): boolean => this.#stale.has(id) || rendering.isStale(id);
    this.#messages = new SettledMessages(this.#items, { ...rendering, isStale });
  }

  isFor({ rendered, staleCount }: Rendering): boolean {
    return this.#rendering.rendered === rendered && this.#rendering.staleCount === staleCount;
  }

  messages(order: SourceOrder, replacing: Replacing): readonly Message[] {
    this.#replace(order.system, replacing);
    for (let place = this.#items.length; place < order.settled; place++) {
      const item = order.items[place] as SentItem;
      const position = this.#positionAt(place);
      const after = this.#scan([item], place, position, replacing);
      if (after > position) this.#rises.push({ place, position: after });
      this.#items.push(withCopies(item, this.#copies));
    }
    const { system, settled, rest } = order;
    this.#scan(rest, settled, this.#positionAt(settled), replacing);
    const prompt = system && this.#rendering.rendered.system(withCopy(system, this.#copies));
    const tail = rest.map((item) => withCopies(item, this.#copies));
    const messages = this.#messages.between(prompt === undefined ? [] : [prompt], settled, tail);
    this.#forgetStale(this.#items.length);
    return messages;
  }

  /** Adopts the copies of a view. Gives up the items from the first one on that they change. */
  #replace(system: SystemPromptEvent | undefined, replacing: Replacing): void {
    const { replaced, edits, cutAtOrBefore, positionOf } = replacing;
    const first = this.#awaitsEvent ? 0 : firstDifference(this.#replaced, replaced);
    if (first === Infinity && system === this.#system) return;
    const before = this.#startPosition;
    this.#replaced = replaced;
    this.#copies = new Map(replaced.map(({ id, copy }) => [id, copy]));
    this.#edits = edits();
    this.#awaitsEvent = replaced.some(({ replacement: { effectiveFrom } }) => {
      return effectiveFrom !== undefined && positionOf(effectiveFrom) === undefined;
    });
    this.#system = system;
    const cut = this.#startPosition === before ? (cutAtOrBefore(first) ?? 0) : 0;
    let place = this.#items.length;
    while (place > 0 && (this.#items[place - 1]?.index ?? 0) >= cut) place--;
    this.#messages.keep(place);
    this.#items.length = place;
    while ((this.#rises.at(-1)?.place ?? -1) >= place) this.#rises.pop();
    this.#forgetStale(place);
  }

  /** The position of the log before which all thinking is stale, because the instructions are replaced. */
  get #startPosition(): number {
    return (this.#system && this.#edits.get(this.#system.id)?.position) ?? -1;
  }

  /** The position of the log before which the thinking at a place is stale. */
  #positionAt(place: number): number {
    return this.#rises.findLast((rise) => rise.place < place)?.position ?? this.#startPosition;
  }

  /** Marks the stale thinking of items. Returns the position of the log before which the thinking after them is stale. */
  #scan(items: readonly SentItem[], place: number, position: number, { positionOf }: Replacing): number {
    if (this.#edits.size === 0) return position;
    const scan = new StaleScan(this.#edits, positionOf, position);
    for (const item of items) {
      const stale = scan.next(item);
      if (stale === undefined || this.#stale.has(stale)) continue;
      this.#stale.add(stale);
      this.#staleAt.push({ id: stale, place });
    }
    return scan.position;
  }

  #forgetStale(from: number): void {
    while ((this.#staleAt.at(-1)?.place ?? -1) >= from) this.#stale.delete(this.#staleAt.pop()?.id ?? '');
  }
}

function withCopy<Original extends LLMConvertibleEvent>(
  event: Original,
  copies: ReadonlyMap<EventId, LLMConvertibleEvent>,
): Original {
  return (copies.get(event.id) as Original | undefined) ?? event;
}

/** The item with the copies of its events; the same object if it has none. */
function withCopies(item: SentItem, copies: ReadonlyMap<EventId, LLMConvertibleEvent>): SentItem {
  const sent = <Sent extends SentCall | SentResult>(one: Sent): Sent => ({
    ...one,
    event: withCopy(one.event, copies),
  });
  const isCopied = ({ event }: SentCall | SentResult): boolean => copies.has(event.id);
  switch (item.kind) {
    case 'words':
      return copies.has(item.event.id) ? { ...item, event: withCopy(item.event, copies) } : item;
    case 'late':
      if (!isCopied(item.call) && !isCopied(item.result)) return item;
      return { ...item, call: sent(item.call), result: sent(item.result) };
    case 'batch':
      if (!item.calls.some(isCopied) && !item.results.some(isCopied)) return item;
      return { ...item, calls: item.calls.map(sent), results: item.results.map(sent) };
  }
}
