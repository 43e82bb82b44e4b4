import type { CustomKind } from './custom-kind.js';
import type { EventBase } from './event-base.js';
import type { LLMConvertibleEvent } from './llm-convertible-events.js';
import type { InternalEvent } from './internal-events.js';

/**
 * An event of a type that this package does not define: a package's own (`'acme/note'`), or one from a newer version.
 * It is kept as it is, survives a round trip unchanged, and is never sent to a model.
 */
export interface CustomEvent extends EventBase {
  readonly type: CustomKind;
  readonly [field: string]: unknown;
}

/** Anything that stands in a log. Narrow it by `type`. */
export type Event = LLMConvertibleEvent | InternalEvent | CustomEvent;
