import type * as z from 'zod/mini';
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
import {
  actionEventSchema,
  agentErrorEventSchema,
  condensationSummaryEventSchema,
  messageEventSchema,
  observationEventSchema,
  systemPromptEventSchema,
  userRejectObservationSchema,
} from './llm-convertible-events.js';

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
