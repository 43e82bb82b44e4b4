import type { EventId } from '@palimpsest/events';

/** Where tool output goes that is too long for the log's readers. Implementations: files, in `@palimpsest/agent/node`. */
export interface OutputStore {
  /** Keeps a text for good and returns the handle by which it is found again. */
  put(output: { readonly actionId: EventId; readonly toolName: string; readonly text: string }): Promise<string>;
  /** The whole text; undefined where there is none by this handle. Handles are data, whoever wrote them. */
  get(handle: string): Promise<string | undefined>;
}
