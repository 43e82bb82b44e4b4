import type { EventId, LLMConvertibleEvent, Message, SystemPromptEvent } from '@palimpsest/events';
import { firstDifference } from './replaced-events.js';
import type { ReplacedEvent } from './replaced-events.js';
import type { SentCall, SentItem, SentResult } from './sent-order.js';
import { SettledMessages } from './settled-messages.js';
import type { Rendering } from './settled-messages.js';
import { carriesThinking, StaleScan } from './stale-thinking.js';
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
 * the changes of the step before. Changes that only grew render their own items again, and those whose thinking they make stale;
 * other changes render the items from the first new change on.
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
  /** The events that carry thinking, the places of their items, and their positions in the log. */
  readonly #thinking: { readonly id: EventId; readonly place: number; readonly position: number }[] = [];

  constructor(rendering: Rendering) {
    this.#rendering = rendering;
    const isStale = (id: EventId): boolean => this.#stale.has(id) || rendering.isStale(id);
    this.#messages = new SettledMessages(this.#items, { ...rendering, isStale });
  }

  isFor({ rendered, staleCount }: Rendering): boolean {
    return this.#rendering.rendered === rendered && this.#rendering.staleCount === staleCount;
  }

  messages(order: SourceOrder, replacing: Replacing): readonly Message[] {
    if (!this.#addCopies(order, replacing)) this.#replace(order.system, replacing);
    for (let place = this.#items.length; place < order.settled; place++) {
      const item = order.items[place] as SentItem;
      const position = this.#positionAt(place);
      const after = this.#scan([item], place, position, replacing);
      if (after > position) this.#rises.push({ place, position: after });
      this.#items.push(withCopies(item, this.#copies));
      const carrier = this.#carrierOf(item);
      if (carrier !== undefined && carriesThinking(carrier)) {
        this.#thinking.push({ id: carrier.id, place, position: replacing.positionOf(carrier.id) ?? -1 });
      }
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
    while ((this.#thinking.at(-1)?.place ?? -1) >= place) this.#thinking.pop();
    this.#forgetStale(place);
  }

  /**
   * Puts further copies of calls and results into the items that are there. False, with nothing done, if the changes did not only
   * grow, or concern something else.
   */
  #addCopies({ system, items }: SourceOrder, { replaced, edits, positionOf }: Replacing): boolean {
    const before = this.#replaced;
    if (this.#awaitsEvent || system !== this.#system || replaced.length <= before.length) return false;
    if (before.some((entry, at) => entry !== replaced[at])) return false;
    const added: { readonly id: EventId; readonly place: number }[] = [];
    for (const { id, index, replacement } of replaced.slice(before.length)) {
      const place = this.#placeOfCall(id, index);
      const { effectiveFrom } = replacement;
      const awaitsEvent = effectiveFrom !== undefined && positionOf(effectiveFrom) === undefined;
      if (place === undefined || awaitsEvent) return false;
      added.push({ id, place });
    }
    this.#replaced = replaced;
    this.#copies = new Map(replaced.map(({ id, copy }) => [id, copy]));
    this.#edits = edits();
    for (const { id, place } of added) {
      this.#items[place] = withCopies(items[place] as SentItem, this.#copies);
      this.#messages.renew(place);
      this.#raise(place, this.#edits.get(id)?.position ?? -1);
    }
    return true;
  }

  /** The place of the item that sends a call or a result at an index of the list. */
  #placeOfCall(id: EventId, index: number): number | undefined {
    let [low, high] = [0, this.#items.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#items[middle] as SentItem).index <= index) low = middle + 1;
      else high = middle;
    }
    const item = this.#items[low - 1];
    if (item === undefined || item.kind === 'words') return undefined;
    const sent = item.kind === 'late' ? [item.call, item.result] : [...item.calls, ...item.results];
    return sent.some(({ event }) => event.id === id) ? low - 1 : undefined;
  }

  /** Makes the thinking behind a place stale that stands before a position of the log. */
  #raise(place: number, position: number): void {
    if (position <= this.#positionAt(place + 1)) return;
    const at = this.#rises.filter((rise) => rise.place < place).length;
    const lower = this.#rises.filter((rise) => rise.place >= place && rise.position <= position).length;
    this.#rises.splice(at, lower, { place, position });
    for (let index = this.#thinking.length - 1; index >= 0; index--) {
      const thinking = this.#thinking[index];
      if (thinking === undefined || thinking.place <= place) break;
      if (thinking.position >= position || this.#stale.has(thinking.id)) continue;
      this.#stale.add(thinking.id);
      this.#staleAt.push(thinking);
      this.#messages.renew(thinking.place);
    }
    this.#staleAt.sort((a, b) => a.place - b.place);
  }

  /** The event whose thinking an item sends. */
  #carrierOf(item: SentItem): LLMConvertibleEvent | undefined {
    if (item.kind === 'words') return this.#edits.get(item.event.id)?.copy ?? item.event;
    return item.kind === 'batch' ? item.response[0] : undefined;
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
