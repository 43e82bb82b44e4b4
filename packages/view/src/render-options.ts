import type { ToolResultEvent } from '@palimpsest/events';

/**
 * What becomes of the model's thinking.
 *
 * - `prefix-bound`: blocks are bound to everything before them; stale ones (made before an edit took effect and standing
 *   after it) are left out, and a tool loop may be cut.
 * - `latest-turn`: the provider checks the latest turn only; all blocks are kept, and a tool loop is never cut.
 * - `none`: no thinking is sent.
 *
 * Which one a model needs is in the adapter's model data.
 */
export type ThinkingMode = 'prefix-bound' | 'latest-turn' | 'none';

/** How a view becomes messages. */
export interface RenderOptions {
  /** @defaultValue the view's own mode, which is `prefix-bound` where nothing else was said */
  readonly thinking?: ThinkingMode | undefined;
  /** A label for the last line of a tool result. On or off for a whole conversation. @defaultValue no labels */
  readonly labelObservation?: ((event: ToolResultEvent) => string | undefined) | undefined;
}
