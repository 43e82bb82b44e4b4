import type { EventId, Message } from '@palimpsest/events';
import type { RenderedMessages } from './rendered-messages.js';
import type { SentItem } from './sent-order.js';

/** The data with which a view renders its items. */
export interface Rendering {
  readonly rendered: RenderedMessages;
  /** True for an event whose signed thinking no longer verifies. */
  readonly isStale: (id: EventId) => boolean;
  /** How many events are stale. In one list, the same number means the same events. */
  readonly staleCount: number;
}

/**
 * The messages of a list of items that only grows. Each item is rendered once. The last run of adjacent user messages is merged
 * in each call, because it can grow.
 */
export class SettledMessages {
  readonly #items: readonly SentItem[];
  readonly #rendering: Rendering;
  readonly #messages: Message[] = [];
  /** For each rendered item, the number of messages up to and including those of the item. */
  readonly #ends: number[] = [];

  constructor(items: readonly SentItem[], rendering: Rendering) {
    this.#items = items;
    this.#rendering = rendering;
  }

  isFor({ rendered, staleCount }: Rendering): boolean {
    return this.#rendering.rendered === rendered && this.#rendering.staleCount === staleCount;
  }

  /** Gives up the messages of all items but the first `count`. */
  keep(count: number): void {
    let start = Math.min(count, this.#ends.length);
    while (start > 0 && joins(this.#items, start)) start--;
    this.#ends.length = start;
    this.#messages.length = this.#ends[start - 1] ?? 0;
  }

  /** Renders the item at an index again, after another of its kind has taken its place. Not for words that may be merged. */
  renew(index: number): void {
    const end = this.#ends[index];
    if (end === undefined) return;
    const start = this.#ends[index - 1] ?? 0;
    const messages: Message[] = [];
    this.#rendering.rendered.add(messages, this.#items[index] as SentItem, this.#rendering.isStale);
    if (messages.length !== end - start) this.keep(index);
    else for (const [place, message] of messages.entries()) this.#messages[start + place] = message;
  }

  /** `head`, then the messages of the first `count` items of the list, then those of the items `rest`. A new array. */
  between(head: readonly Message[], count: number, rest: readonly SentItem[]): readonly Message[] {
    const start = startOfRun(this.#items, count);
    for (let index = this.#ends.length; index < start;) {
      const next = addRun(this.#messages, this.#items, index, this.#rendering);
      for (; index < next; index++) this.#ends.push(this.#messages.length);
    }
    const end = this.#ends[start - 1] ?? 0;
    const settled = end === this.#messages.length ? this.#messages : this.#messages.slice(0, end);
    const items = this.#items.slice(start, count).concat(rest);
    const tail: Message[] = [];
    for (let index = 0; index < items.length;) index = addRun(tail, items, index, this.#rendering);
    // One operation, because adding to a long array copies it once more.
    return head.concat(settled, tail);
  }
}

/** Adds the messages of the item at an index, merged with those of the items after it. Returns the index after the run. */
function addRun(messages: Message[], items: readonly SentItem[], index: number, rendering: Rendering): number {
  const { rendered, isStale } = rendering;
  let end = index + 1;
  while (end < items.length && joins(items, end)) end++;
  if (end === index + 1) {
    rendered.add(messages, items[index] as SentItem, isStale);
    return end;
  }
  const run: Message[] = [];
  for (let place = index; place < end; place++) rendered.add(run, items[place] as SentItem, isStale);
  messages.push(rendered.merged(run));
  return end;
}

/** Where the last run of words among the first `count` items begins; `count` if they do not end with words that can be joined. */
function startOfRun(items: readonly SentItem[], count: number): number {
  const last = items[count - 1];
  if (last === undefined || !isOfUser(last)) return count;
  let start = count - 1;
  while (start > 0 && joins(items, start)) start--;
  return start;
}

/** Whether the words at an index are merged with the words before them. */
function joins(items: readonly SentItem[], index: number): boolean {
  const [before, item] = [items[index - 1], items[index]];
  return item?.kind === 'words' && !item.afterAssistant && isOfUser(item) && before !== undefined && isOfUser(before);
}

/** True for words that are sent in the user's place. */
function isOfUser(item: SentItem): boolean {
  return item.kind === 'words' && (item.event.type !== 'message' || item.event.role !== 'assistant');
}
