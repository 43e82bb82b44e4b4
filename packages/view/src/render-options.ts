import type { ToolResultEvent } from '@palimpsest/events';

/**
 * The rule for sending the model's thinking back.
 *
 * - `prefix-bound`: blocks are bound to everything before them. Stale blocks (made before an edit took effect and placed after
 *   it) are left out, and a tool loop may be cut.
 * - `latest-turn`: the provider checks the latest turn only; all blocks are kept, and a tool loop is never cut.
 * - `none`: no thinking is sent.
 *
 * The adapter's model data says which mode a model needs.
 */
export type ThinkingMode = 'prefix-bound' | 'latest-turn' | 'none';

/** Options of rendering a view as messages. */
export interface RenderOptions {
  /** @defaultValue the view's own mode, which is `prefix-bound` by default */
  readonly thinking?: ThinkingMode | undefined;
  /**
   * A label for the last line of a tool result. It may depend on the event alone and is called once for each event, so give the
   * same function in every call: another function renders every message again. Use it for a whole conversation or not at all.
   * @defaultValue no labels
   */
  readonly labelObservation?: ((event: ToolResultEvent) => string | undefined) | undefined;
}
