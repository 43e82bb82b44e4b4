import type { ActionEvent, EventId, Message, SystemPromptEvent } from '@palimpsest/events';
import type { Call } from './batches.js';
import { firstAtOrAfter } from './cut-tracker.js';
import type { EventSequence } from './event-sequence.js';
import type { ListSnapshot } from './list-analysis.js';
import { ReplacedMessages } from './replaced-messages.js';
import type { Replacing } from './replaced-messages.js';
import { analyse } from './sent-order.js';
import type { OrderSink, SentItem } from './sent-order.js';
import { SettledMessages } from './settled-messages.js';
import type { Rendering } from './settled-messages.js';

/** An event that is not sent in a range of list lengths. */
interface LeftOut {
  readonly id: EventId;
  readonly reason: string;
  readonly since: number;
  until: number;
}

/** The order of a list at one length: the first `settled` items of the tracker, then `rest`. */
export interface TrackedOrder {
  readonly system: SystemPromptEvent | undefined;
  readonly items: EventSequence<SentItem>;
  readonly settled: number;
  readonly rest: readonly SentItem[];
  leftOut(): ReadonlyMap<EventId, string>;
}

/**
 * Finds the order in which a stored list is sent while the list grows. Events before the open batch are analysed once; later
 * events are analysed for each view. So the cost is linear in the new events and the open batch. Earlier views keep their order.
 */
export class SentTracker {
  /** The items of the events before `#settledTo`, in the order of the list. */
  readonly #items: SentItem[] = [];
  readonly #indices: number[] = [];
  readonly #leftOut: LeftOut[] = [];
  readonly #newest = new Map<EventId, LeftOut>();
  readonly #systems: { readonly event: SystemPromptEvent; readonly index: number }[] = [];
  #settledTo = 0;
  /** Rendered with the last options. */
  #messages: SettledMessages | undefined;
  /** Of the view that was rendered last of those in which copies replace events. */
  #replaced: ReplacedMessages | undefined;

  /**
   * The order of the list as it is in a snapshot.
   *
   * @param end - the index before which no batch is open
   * @param actionOf - the action of a call, if the list holds it
   */
  order(list: ListSnapshot, end: number, actionOf: (call: Call) => ActionEvent | undefined): TrackedOrder {
    if (end > this.#settledTo) this.#settle({ ...list, length: end }, actionOf);
    const settled = firstAtOrAfter(this.#indices, this.#indices.length, end);
    const rest: SentItem[] = [];
    const leftOut = new Map<EventId, string>();
    const takenIn = new Set<EventId>();
    const sink: OrderSink = {
      item: (item) => void rest.push(item),
      leaveOut: (id, reason) => void leftOut.set(id, reason),
      takeIn: (id) => void (leftOut.delete(id) || takenIn.add(id)),
      earlierAction: actionOf,
      system: this.#systems.findLast(({ index }) => index < end)?.event,
    };
    analyse(list, end, sink);
    return {
      system: sink.system,
      items: new TwoParts(this.#items, settled, rest),
      settled,
      rest,
      leftOut: () => this.#leftOutAt(end, leftOut, takenIn),
    };
  }

  /** The messages of an order of this tracker. */
  messages({ system, settled, rest }: TrackedOrder, rendering: Rendering): readonly Message[] {
    if (this.#messages?.isFor(rendering) !== true) this.#messages = new SettledMessages(this.#items, rendering);
    const instructions = system && rendering.rendered.system(system);
    return this.#messages.between(instructions === undefined ? [] : [instructions], settled, rest);
  }

  /** {@link messages} of a view in which copies replace events of an order of this tracker. */
  replacedMessages(order: TrackedOrder, rendering: Rendering, replacing: Replacing): readonly Message[] {
    if (this.#replaced?.isFor(rendering) !== true) this.#replaced = new ReplacedMessages(rendering);
    return this.#replaced.messages({ ...order, items: this.#items }, replacing);
  }

  #leftOutAt(
    end: number,
    later: ReadonlyMap<EventId, string>,
    takenIn: ReadonlySet<EventId>,
  ): ReadonlyMap<EventId, string> {
    const leftOut = new Map<EventId, string>();
    for (const { id, reason, since, until } of this.#leftOut) {
      if (since < end && until >= end && !takenIn.has(id)) leftOut.set(id, reason);
    }
    for (const [id, reason] of later) leftOut.set(id, reason);
    return leftOut;
  }

  #settle(list: ListSnapshot, actionOf: (call: Call) => ActionEvent | undefined): void {
    const systems = this.#systems;
    analyse(list, this.#settledTo, {
      item: (item) => {
        this.#items.push(item);
        this.#indices.push(item.index);
      },
      leaveOut: (id, reason, index) => {
        const entry = { id, reason, since: index, until: Infinity };
        this.#leftOut.push(entry);
        this.#newest.set(id, entry);
      },
      takeIn: (id, index) => {
        const entry = this.#newest.get(id);
        if (entry !== undefined) entry.until = Math.min(entry.until, index);
      },
      earlierAction: actionOf,
      get system() {
        return systems.at(-1)?.event;
      },
      set system(event) {
        const index = event === undefined ? -1 : list.events.lastIndexOf(event, list.length - 1);
        if (event !== undefined) systems.push({ event, index });
      },
    });
    this.#settledTo = list.length;
  }
}

/** The first items of a list that only grows, followed by a separate tail. */
class TwoParts implements EventSequence<SentItem> {
  readonly length: number;
  readonly #first: readonly SentItem[];
  readonly #count: number;
  readonly #rest: readonly SentItem[];

  constructor(first: readonly SentItem[], count: number, rest: readonly SentItem[]) {
    this.#first = first;
    this.#count = count;
    this.#rest = rest;
    this.length = count + rest.length;
  }

  at(index: number): SentItem | undefined {
    const place = index < 0 ? this.length + index : index;
    return place < this.#count ? this.#first[place] : this.#rest[place - this.#count];
  }

  slice(from = 0, to = this.length): readonly SentItem[] {
    return [...this].slice(from, to);
  }

  *[Symbol.iterator](): Iterator<SentItem> {
    for (let place = 0; place < this.#count; place++) yield this.#first[place] as SentItem;
    yield* this.#rest;
  }
}
