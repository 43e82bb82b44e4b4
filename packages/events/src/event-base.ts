import * as z from 'zod/mini';
import { openEnum } from './custom-kind.js';
import type { CustomKind } from './custom-kind.js';
import { nonEmptyString } from './non-empty-string.js';

/** Identifies one event in one log. This package makes UUIDv7 ids and reads any non-empty string. */
export type EventId = string;

/**
 * The origin of an event. Never inferred from the role in which a model reads it. A source that this version does not know does
 * not change what a model reads, and never counts as the user.
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
