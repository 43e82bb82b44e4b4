/** A read-only list of events. A snapshot of a growing list shares its storage, so it needs no copy. */
export interface EventSequence<Item> extends Iterable<Item> {
  readonly length: number;
  /** The event at an index; negative counts from the end. */
  at(index: number): Item | undefined;
  slice(from?: number, to?: number): readonly Item[];
  /**
   * Two sequences with the same source are one list at two times: the shorter is a prefix of the longer. A policy can use it as
   * the key of a cache. @defaultValue not known
   */
  readonly source?: object;
}

/** The first `length` items of an array that is only ever pushed to. */
export class PrefixSequence<Item> implements EventSequence<Item> {
  readonly length: number;
  readonly #items: readonly Item[];

  constructor(items: readonly Item[], length: number = items.length) {
    this.#items = items;
    this.length = length;
  }

  get source(): object {
    return this.#items;
  }

  at(index: number): Item | undefined {
    const position = index < 0 ? this.length + index : index;
    return position < this.length ? this.#items[position] : undefined;
  }

  slice(from = 0, to = this.length): readonly Item[] {
    const clamp = (index: number) => Math.min(index < 0 ? Math.max(0, this.length + index) : index, this.length);
    return this.#items.slice(clamp(from), clamp(to));
  }

  *[Symbol.iterator](): Iterator<Item> {
    for (let index = 0; index < this.length; index++) yield this.#items[index] as Item;
  }
}
