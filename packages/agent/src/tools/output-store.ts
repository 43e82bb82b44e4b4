import type { EventId } from '@palimpsest/events';

/** Keeps the whole text of long tool outputs. `@palimpsest/agent/node` has an implementation with files. */
export interface OutputStore {
  /** Stores a text for good, and resolves to its handle. */
  put(output: { readonly actionId: EventId; readonly toolName: string; readonly text: string }): Promise<string>;
  /** Resolves to the whole text, or to undefined for an unknown handle. A handle is data that anybody may have written. */
  get(handle: string): Promise<string | undefined>;
}
