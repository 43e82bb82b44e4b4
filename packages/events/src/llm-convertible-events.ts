import { z } from 'zod';
import { openEnum } from './custom-kind.js';
import { eventBaseSchema } from './event.js';
import type { Immutable } from './immutable.js';
import { incompleteAnswerFields } from './incomplete-answer.js';
import { contentPartSchema, reasoningItemSchema, thinkingBlockSchema, toolCallSchema } from './message.js';
import { toolDefinitionSchema } from './tool-definition.js';

const thinkingFields = {
  thinkingBlocks: z.array(thinkingBlockSchema).exactOptional(),
  reasoningItems: z.array(reasoningItemSchema).exactOptional(),
  reasoningContent: z.string().exactOptional(),
};

const toolResultFields = {
  toolName: z.string().min(1),
  toolCallId: z.string().min(1),
  actionId: z.string().min(1).exactOptional(),
  redacted: z.boolean().exactOptional(),
};

/** The schema of {@link SystemPromptEvent}. */
export const systemPromptEventSchema = eventBaseSchema.extend({
  type: z.literal('system-prompt'),
  systemPrompt: z.string(),
  dynamicContext: z.string().exactOptional(),
  tools: z.array(toolDefinitionSchema).exactOptional(),
});

/** The schema of {@link MessageEvent}. */
export const messageEventSchema = eventBaseSchema.extend({
  type: z.literal('message'),
  role: openEnum(['user', 'assistant']),
  content: z.array(contentPartSchema),
  extendedContent: z.array(contentPartSchema).exactOptional(),
  activatedSkills: z.array(z.string()).exactOptional(),
  llmResponseId: z.string().min(1).exactOptional(),
  sender: z.string().exactOptional(),
  cutOff: z.object(incompleteAnswerFields).exactOptional(),
  ...thinkingFields,
});

/** The schema of {@link ActionEvent}. */
export const actionEventSchema = eventBaseSchema.extend({
  type: z.literal('action'),
  thought: z.array(contentPartSchema),
  toolCall: toolCallSchema,
  llmResponseId: z.string().min(1),
  executable: z.boolean().exactOptional(),
  securityRisk: openEnum(['unknown', 'low', 'medium', 'high']).exactOptional(),
  summary: z.string().exactOptional(),
  redacted: z.boolean().exactOptional(),
  ...thinkingFields,
});

/** The schema of {@link ObservationEvent}. */
export const observationEventSchema = eventBaseSchema.extend({
  type: z.literal('observation'),
  ...toolResultFields,
  content: z.array(contentPartSchema),
  extendedContent: z.array(contentPartSchema).exactOptional(),
  isError: z.boolean().exactOptional(),
  details: z.record(z.string(), z.unknown()).exactOptional(),
});

/** The schema of {@link UserRejectObservation}. */
export const userRejectObservationSchema = eventBaseSchema.extend({
  type: z.literal('user-reject-observation'),
  ...toolResultFields,
  rejectionReason: z.string(),
  rejectionSource: openEnum(['user', 'hook']).exactOptional(),
});

/** The schema of {@link AgentErrorEvent}. */
export const agentErrorEventSchema = eventBaseSchema.extend({
  type: z.literal('agent-error'),
  ...toolResultFields,
  error: z.string(),
});

/** The schema of {@link CondensationSummaryEvent}. */
export const condensationSummaryEventSchema = eventBaseSchema.extend({
  type: z.literal('condensation-summary'),
  summary: z.string(),
  condensationId: z.string().min(1).exactOptional(),
});

/**
 * The instructions and the tools with which the conversation goes on. Source `agent`, role `system`. The newest one in a
 * log is in force; `dynamicContext` is the part that changes between conversations and stands last, so that the rest stays
 * a prefix that a provider can cache.
 */
export type SystemPromptEvent = Immutable<z.infer<typeof systemPromptEventSchema>>;

/**
 * Words. Source `user`: the user's own. Source `agent` with role `assistant`: the model's. Source `environment` with role
 * `user`: text of the framework that the model must read. `extendedContent` is what skills and rules added to it. `cutOff`: the
 * answer was interrupted after this much of it had been shown; it is no final answer, and the thinking and the half calls in
 * `cutOff` are never sent.
 */
export type MessageEvent = Immutable<z.infer<typeof messageEventSchema>>;

/**
 * One tool call of the model. Source `agent`, role `assistant`. The actions of one response are one parallel batch and have one
 * `llmResponseId`. Whoever writes a log makes that id (`newEventId()`), since servers repeat theirs; a view tells responses of
 * one id apart where the log shows that they are two. Thought and thinking stand on the batch's first action. `executable: false` marks a call that can never be run (no such
 * tool, arguments that do not parse): it stays in the history with its error result. `redacted` is set on the copies that a
 * view makes, never in a log.
 */
export type ActionEvent = Immutable<z.infer<typeof actionEventSchema>>;

/**
 * What a tool answered. Source `environment`, role `tool`. `details` is for programs (exit status, paths) and is never
 * sent. `redacted` is set on the copies that a view makes, never in a log.
 */
export type ObservationEvent = Immutable<z.infer<typeof observationEventSchema>>;

/** The user, or a hook in the user's place, refused an action. Source `environment`, role `tool`. */
export type UserRejectObservation = Immutable<z.infer<typeof userRejectObservationSchema>>;

/**
 * The framework could not carry out a call, and the model is told so. Source `agent`, role `tool`; the conversation goes
 * on. An error that ends the run is a `conversation-error`.
 */
export type AgentErrorEvent = Immutable<z.infer<typeof agentErrorEventSchema>>;

/** The summary of forgotten events. Source `environment`, role `user`. A view makes it from a condensation. */
export type CondensationSummaryEvent = Immutable<z.infer<typeof condensationSummaryEventSchema>>;

/** An event that answers a tool call. */
export type ToolResultEvent = ObservationEvent | UserRejectObservation | AgentErrorEvent;

/** An event that a model reads. */
export type LLMConvertibleEvent =
  SystemPromptEvent | MessageEvent | ActionEvent | ToolResultEvent | CondensationSummaryEvent;

/** True for the events that a model reads. */
export function isLLMConvertible(event: { readonly type: string }): event is LLMConvertibleEvent {
  switch (event.type) {
    case 'system-prompt':
    case 'message':
    case 'action':
    case 'observation':
    case 'user-reject-observation':
    case 'agent-error':
    case 'condensation-summary':
      return true;
    default:
      return false;
  }
}

/** True for the events that answer a tool call. */
export function isToolResult(event: { readonly type: string }): event is ToolResultEvent {
  return event.type === 'observation' || event.type === 'user-reject-observation' || event.type === 'agent-error';
}
