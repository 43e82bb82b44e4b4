import { z } from 'zod';
import { openEnum } from './custom-kind.js';
import type { CustomKind } from './custom-kind.js';
import type { LLMConvertibleEvent } from './llm-convertible-events.js';
import type { InternalEvent } from './internal-events.js';

/** Names one event in one log. UUIDv7 when we make it; any non-empty string when we read it. */
export type EventId = string;

/**
 * Where an event came from. Never inferred from the role in which a model reads it. A source that this version does not know
 * changes nothing of what a model reads, and is never the user.
 */
export type EventSource = 'user' | 'agent' | 'environment' | CustomKind;

/** The schema of {@link EventBase}. */
export const eventBaseSchema = z.object({
  type: z.string().min(1),
  id: z.string().min(1),
  timestamp: z.string().min(1),
  source: openEnum(['user', 'agent', 'environment']),
});

/** What every event has. */
export interface EventBase {
  readonly type: string;
  readonly id: EventId;
  /** When it happened: ISO 8601, UTC when we make it. */
  readonly timestamp: string;
  readonly source: EventSource;
}

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
