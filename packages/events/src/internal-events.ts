import * as z from 'zod/mini';
import { eventBaseSchema, nonEmptyString } from './event-base.js';
import type { Immutable } from './event-base.js';
import { contentPartSchema } from './message.js';

const tokens = z.number().check(z.minimum(0));

/** The schema of {@link Usage}. */
export const usageSchema = z.object({
  uncachedInputTokens: tokens,
  cacheReadTokens: tokens,
  cacheWriteTokens: tokens,
  outputTokens: tokens,
  reasoningTokens: z.exactOptional(tokens),
});

/**
 * The tokens of one model call, in one shape for every provider. Unit: tokens. The three input counts do not overlap:
 * their sum is what was sent. `outputTokens` includes `reasoningTokens`.
 */
export type Usage = Immutable<z.infer<typeof usageSchema>>;

/** The schema of {@link BegunCall}. */
const begunCallSchema = z.object({
  id: z.exactOptional(z.string()),
  name: z.exactOptional(z.string()),
  arguments: z.string(),
});

/**
 * The fields of an incomplete answer that can never be sent back. No model reads them. `finishReason` is there if the provider
 * ended the answer, for instance `length`. Without it a user or a broken connection did.
 */
export const incompleteAnswerFields = {
  reason: z.string(),
  finishReason: z.exactOptional(z.string()),
  thinking: z.exactOptional(z.string()),
  toolCalls: z.exactOptional(z.array(begunCallSchema)),
};

/** The received part of an incomplete tool call. It was never carried out. */
export type BegunCall = Immutable<z.infer<typeof begunCallSchema>>;

const dataSchema = z.record(z.string(), z.unknown());

/** The schema of {@link Redaction}. */
const redactionSchema = z.object({
  eventId: nonEmptyString,
  text: z.exactOptional(z.string()),
  arguments: z.exactOptional(z.string()),
  cut: z.exactOptional(z.object({ head: z.int().check(z.minimum(0)), tail: z.int().check(z.minimum(0)) })),
});

/** The schema of {@link Condensation}. */
export const condensationSchema = z.extend(eventBaseSchema, {
  type: z.literal('condensation'),
  forgottenEventIds: z.array(nonEmptyString),
  redactions: z.exactOptional(z.array(redactionSchema)),
  summary: z.exactOptional(z.string()),
  summaryOffset: z.exactOptional(z.int().check(z.minimum(0))),
  metadata: z.exactOptional(dataSchema),
});

/** The schema of {@link CondensationRequest}. */
export const condensationRequestSchema = z.extend(eventBaseSchema, {
  type: z.literal('condensation-request'),
  reason: z.exactOptional(z.string()),
  focus: z.exactOptional(z.string()),
});

/** The schema of {@link CondensationAttempt}. */
export const condensationAttemptSchema = z.extend(eventBaseSchema, {
  type: z.literal('condensation-attempt'),
  condenser: z.string(),
  outcome: z.string(),
  reason: z.string(),
  data: z.exactOptional(dataSchema),
});

/** The schema of {@link CondensationRevert}. */
export const condensationRevertSchema = z.extend(eventBaseSchema, {
  type: z.literal('condensation-revert'),
  condensationId: nonEmptyString,
});

/** The schema of {@link LLMUsageEvent}. */
export const llmUsageEventSchema = z.extend(eventBaseSchema, {
  type: z.literal('llm-usage'),
  responseId: z.string(),
  providerResponseId: z.exactOptional(z.string()),
  model: z.string(),
  usage: usageSchema,
  usageIsEstimated: z.exactOptional(z.boolean()),
  estimatedInputTokens: z.exactOptional(z.number().check(z.minimum(0))),
  costUsd: z.exactOptional(z.number().check(z.minimum(0))),
  purpose: z.exactOptional(z.string()),
});

/** The schema of {@link BrokenResponseEvent}. */
export const brokenResponseEventSchema = z.extend(eventBaseSchema, {
  type: z.literal('broken-response'),
  content: z.array(contentPartSchema),
  ...incompleteAnswerFields,
});

/** The schema of {@link PauseEvent}. */
export const pauseEventSchema = z.extend(eventBaseSchema, { type: z.literal('pause') });

/** The schema of {@link ConversationStateUpdateEvent}. */
export const conversationStateUpdateEventSchema = z.extend(eventBaseSchema, {
  type: z.literal('conversation-state-update'),
  key: z.string(),
  value: z.unknown(),
});

/** The schema of {@link ConversationErrorEvent}. */
export const conversationErrorEventSchema = z.extend(eventBaseSchema, {
  type: z.literal('conversation-error'),
  code: z.string(),
  detail: z.string(),
});

/**
 * A change of one event that is shown in its place. Exactly one field: `text` replaces the content of a tool result, `arguments`
 * those of a call. `cut` shows only the beginning and the end of a message or a result. Unit of `head` and `tail`: characters
 * that stay.
 */
export type Redaction = Immutable<z.infer<typeof redactionSchema>>;

/**
 * Names the events to forget, the ones to mask in place, and optionally a summary with the index at which it stands in the
 * stored list after forgetting (past the end means append). A view acts on it; the log keeps everything.
 */
export type Condensation = Immutable<z.infer<typeof condensationSchema>>;

/**
 * A request for a condensation at the next step: a model call overflowed, or a person asked for it. `focus`: what the
 * summary is to keep in view. It counts only in a request with source `user`, as the user's own words.
 */
export type CondensationRequest = Immutable<z.infer<typeof condensationRequestSchema>>;

/** An attempt of a condenser and its outcome, so that back-off and batching are functions of the log. */
export type CondensationAttempt = Immutable<z.infer<typeof condensationAttemptSchema>>;

/** An order to take a condensation back: a view then ignores that condensation. */
export type CondensationRevert = Immutable<z.infer<typeof condensationRevertSchema>>;

/**
 * The usage and the cost of one model call, with our own estimate of its input for calibration. `responseId` is the
 * `llmResponseId` of the response's events. `providerResponseId` is the server's id of the response, which servers repeat or
 * leave out. `purpose` names the caller: `'agent'` or the name of a condenser. For an answer that never became complete it is
 * `'broken-response'`, and `responseId` is the id of the event of that type.
 */
export type LLMUsageEvent = Immutable<z.infer<typeof llmUsageEventSchema>>;

/**
 * The received part of an answer when the connection broke or the provider failed: the words, thinking and incomplete
 * calls that were passed to a listener. Also an answer that is a refusal, with its calls, of which none was carried
 * out. The model was called again, or the run failed; the model never reads this event. Source `agent`.
 */
export type BrokenResponseEvent = Immutable<z.infer<typeof brokenResponseEventSchema>>;

/** The user paused the run. Source `user`. */
export type PauseEvent = Immutable<z.infer<typeof pauseEventSchema>>;

/** A value of the conversation's state changed. */
export type ConversationStateUpdateEvent = Immutable<z.infer<typeof conversationStateUpdateEventSchema>>;

/** The run failed and ended. Never sent to a model; use `agent-error` for a failure that the model should know of. */
export type ConversationErrorEvent = Immutable<z.infer<typeof conversationErrorEventSchema>>;

/** An event type of this package that no model reads. */
export type InternalEvent =
  | Condensation
  | CondensationRequest
  | CondensationAttempt
  | CondensationRevert
  | LLMUsageEvent
  | BrokenResponseEvent
  | PauseEvent
  | ConversationStateUpdateEvent
  | ConversationErrorEvent;
