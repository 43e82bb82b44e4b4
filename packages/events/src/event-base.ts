import * as z from 'zod/mini';
import { openEnum } from './custom-kind.js';
import type { CustomKind } from './custom-kind.js';
import { nonEmptyString } from './non-empty-string.js';

/** Names one event in one log. UUIDv7 when we make it; any non-empty string when we read it. */
export type EventId = string;

/**
 * Where an event came from. Never inferred from the role in which a model reads it. A source that this version does not know
 * changes nothing of what a model reads, and is never the user.
 */
export type EventSource = 'user' | 'agent' | 'environment' | CustomKind;

/**
 * The schema of {@link EventBase}, of zod/mini. A schema of an event of your own holds its shape, in zod and in zod/mini.
 *
 * @example
 * ```ts
 * z.object({ ...eventBaseSchema.shape, type: z.literal('acme/note'), text: z.string() });
 * ```
 */
export const eventBaseSchema = z.object({
  type: nonEmptyString,
  id: nonEmptyString,
  timestamp: nonEmptyString,
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
