import type { z } from 'zod';
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
export const eventSchemas: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>(
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
  ].map((schema) => [schema.shape.type.value, schema]),
);
