import type { EventId } from '@palimpsest/events';

/** Keeps the whole text of long tool outputs. `@palimpsest/agent/node` has an implementation with files. */
export interface OutputStore {
  /** Stores a text for good, and resolves to its handle. */
  put(output: { readonly actionId: EventId; readonly toolName: string; readonly text: string }): Promise<string>;
  /** Resolves to the whole text, or to undefined for an unknown handle. A handle is data that anybody may have written. */
  get(handle: string): Promise<string | undefined>;
  /**
   * Resolves to a part of a text, or to undefined for an unknown handle, without the memory of the whole.
   * @defaultValue the part is cut from what `get` resolves to
   */
  part?(handle: string, range: { readonly offset: number; readonly length: number }): Promise<OutputPart | undefined>;
}

/** A part of a stored text. Unit of all numbers: UTF-16 code units. */
export interface OutputPart {
  /** Begins and ends with whole characters, so it can be longer than asked for by one. Empty behind the end. */
  readonly text: string;
  /** Where it begins: at `offset`, or one before it. */
  readonly start: number;
  /** The length of the whole text. */
  readonly total: number;
}
