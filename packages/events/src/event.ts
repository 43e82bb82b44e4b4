import type * as z from 'zod/mini';
import type { CustomKind, EventBase } from './event-base.js';
import {
  brokenResponseEventSchema,
  condensationAttemptSchema,
  condensationRequestSchema,
  condensationRevertSchema,
  condensationSchema,
  conversationErrorEventSchema,
  conversationStateUpdateEventSchema,
  llmUsageEventSchema,
  pauseEventSchema,
} from './internal-events.js';
import type { InternalEvent } from './internal-events.js';
import {
  actionEventSchema,
  agentErrorEventSchema,
  condensationSummaryEventSchema,
  messageEventSchema,
  observationEventSchema,
  systemPromptEventSchema,
  userRejectObservationSchema,
} from './llm-convertible-events.js';
import type { LLMConvertibleEvent } from './llm-convertible-events.js';

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

/** The schema of each type of event that this package defines. */
export const eventSchemas: ReadonlyMap<string, z.ZodMiniType> = new Map<string, z.ZodMiniType>(
  [
    systemPromptEventSchema,
    messageEventSchema,
    actionEventSchema,
    observationEventSchema,
    userRejectObservationSchema,
    agentErrorEventSchema,
    condensationSummaryEventSchema,
    condensationSchema,
    condensationRequestSchema,
    condensationAttemptSchema,
    condensationRevertSchema,
    llmUsageEventSchema,
    brokenResponseEventSchema,
    pauseEventSchema,
    conversationStateUpdateEventSchema,
    conversationErrorEventSchema,
  ].flatMap((schema) => schema.shape.type.def.values.map((type) => [type, schema] as const)),
);
