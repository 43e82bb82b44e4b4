import * as z from 'zod/mini';
import { eventBaseSchema, nonEmptyString, openEnum } from './event-base.js';
import type { Immutable } from './event-base.js';
import { incompleteAnswerFields } from './internal-events.js';
import { contentPartSchema, reasoningItemSchema, thinkingBlockSchema, toolCallSchema } from './message.js';

/** The schema of {@link ToolDefinition}. */
export const toolDefinitionSchema = z.object({
  name: nonEmptyString,
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
  annotations: z.exactOptional(
    z.object({
      readOnly: z.exactOptional(z.boolean()),
      repeatable: z.exactOptional(z.boolean()),
      parallel: z.exactOptional(z.boolean()),
    }),
  ),
});

/**
 * The description of a tool for a model: its name, its purpose, and the JSON schema of its input. The annotations are for the
 * agent: `readOnly` changes nothing, `repeatable` may be run again after a crash, `parallel` may run beside others.
 */
export type ToolDefinition = Immutable<z.infer<typeof toolDefinitionSchema>>;

const thinkingFields = {
  thinkingBlocks: z.exactOptional(z.array(thinkingBlockSchema)),
  reasoningItems: z.exactOptional(z.array(reasoningItemSchema)),
  reasoningContent: z.exactOptional(z.string()),
};

const toolResultFields = {
  toolName: nonEmptyString,
  toolCallId: nonEmptyString,
  actionId: z.exactOptional(nonEmptyString),
  redacted: z.exactOptional(z.boolean()),
};

/** The schema of {@link SystemPromptEvent}. */
export const systemPromptEventSchema = z.extend(eventBaseSchema, {
  type: z.literal('system-prompt'),
  systemPrompt: z.string(),
  dynamicContext: z.exactOptional(z.string()),
  tools: z.exactOptional(z.array(toolDefinitionSchema)),
});

/** The schema of {@link MessageEvent}. */
export const messageEventSchema = z.extend(eventBaseSchema, {
  type: z.literal('message'),
  role: openEnum(['user', 'assistant']),
  content: z.array(contentPartSchema),
  extendedContent: z.exactOptional(z.array(contentPartSchema)),
  activatedSkills: z.exactOptional(z.array(z.string())),
  llmResponseId: z.exactOptional(nonEmptyString),
  sender: z.exactOptional(z.string()),
  hostText: z.exactOptional(openEnum(['instruction', 'reminder'])),
  redacted: z.exactOptional(z.boolean()),
  cutOff: z.exactOptional(z.object(incompleteAnswerFields)),
  ...thinkingFields,
});

/** The schema of {@link ActionEvent}. */
export const actionEventSchema = z.extend(eventBaseSchema, {
  type: z.literal('action'),
  thought: z.array(contentPartSchema),
  toolCall: toolCallSchema,
  llmResponseId: nonEmptyString,
  executable: z.exactOptional(z.boolean()),
  securityRisk: z.exactOptional(openEnum(['unknown', 'low', 'medium', 'high'])),
  summary: z.exactOptional(z.string()),
  redacted: z.exactOptional(z.boolean()),
  ...thinkingFields,
});

/** The schema of {@link ObservationEvent}. */
export const observationEventSchema = z.extend(eventBaseSchema, {
  type: z.literal('observation'),
  ...toolResultFields,
  content: z.array(contentPartSchema),
  extendedContent: z.exactOptional(z.array(contentPartSchema)),
  isError: z.exactOptional(z.boolean()),
  details: z.exactOptional(z.record(z.string(), z.unknown())),
});

/** The schema of {@link UserRejectObservation}. */
export const userRejectObservationSchema = z.extend(eventBaseSchema, {
  type: z.literal('user-reject-observation'),
  ...toolResultFields,
  rejectionReason: z.string(),
  rejectionSource: z.exactOptional(openEnum(['user', 'hook'])),
});

/** The schema of {@link AgentErrorEvent}. */
export const agentErrorEventSchema = z.extend(eventBaseSchema, {
  type: z.literal('agent-error'),
  ...toolResultFields,
  error: z.string(),
});

/** The schema of {@link CondensationSummaryEvent}. */
export const condensationSummaryEventSchema = z.extend(eventBaseSchema, {
  type: z.literal('condensation-summary'),
  summary: z.string(),
  condensationId: z.exactOptional(nonEmptyString),
});

/**
 * The instructions and the tools of the conversation from here on. Source `agent`, role `system`. The newest system
 * prompt in a log is in force. `dynamicContext` is the part that changes between conversations. It is sent last, so
 * that the rest stays a prefix that a provider can cache.
 */
export type SystemPromptEvent = Immutable<z.infer<typeof systemPromptEventSchema>>;

/**
 * A message. Source `user`: the user's own words. Source `agent` with role `assistant`: the model's. Source
 * `environment` with role `user`: text of the framework that the model must read. `hostText`: the program that holds
 * the conversation repeats such text; an `instruction` was a system or developer message, a `reminder` stood in the
 * user's place. `extendedContent` is the content that skills and rules added. `redacted` is set on the copies that a
 * view makes, never in a log. `cutOff`: the answer ended here before it was complete: the user interrupted it, or, with
 * a `finishReason`, its provider ended it. Such a message is no final answer, and the thinking and the incomplete calls
 * in `cutOff` are never sent.
 */
export type MessageEvent = Immutable<z.infer<typeof messageEventSchema>>;

/**
 * One tool call of the model. Source `agent`, role `assistant`. The actions of one response are one parallel batch and
 * have one `llmResponseId`. The writer of a log makes that id (`newEventId()`), because servers repeat their ids. A
 * view separates responses with the same id if the log shows that they are two. The batch's first action carries the
 * thought and the thinking. `executable: false` marks a call that can never be run (no such tool, arguments that do not
 * parse): it stays in the history with its error result. `redacted` is set on the copies that a view makes, never in a
 * log.
 */
export type ActionEvent = Immutable<z.infer<typeof actionEventSchema>>;

/**
 * The result of a tool call. Source `environment`, role `tool`. `details` is for programs (exit status, paths) and is never
 * sent. `redacted` is set on the copies that a view makes, never in a log.
 */
export type ObservationEvent = Immutable<z.infer<typeof observationEventSchema>>;

/** The user, or a hook in the user's place, refused an action. Source `environment`, role `tool`. */
export type UserRejectObservation = Immutable<z.infer<typeof userRejectObservationSchema>>;

/**
 * The framework could not carry out a call. The model reads the error. Source `agent`, role `tool`; the conversation
 * continues. An error that ends the run is a `conversation-error`.
 */
export type AgentErrorEvent = Immutable<z.infer<typeof agentErrorEventSchema>>;

/** The summary of forgotten events. Source `environment`, role `user`. A view makes it from a condensation. */
export type CondensationSummaryEvent = Immutable<z.infer<typeof condensationSummaryEventSchema>>;

/** An event that answers a tool call. */
export type ToolResultEvent = ObservationEvent | UserRejectObservation | AgentErrorEvent;

/** An event that a model reads. */
export type LLMConvertibleEvent =
  SystemPromptEvent | MessageEvent | ActionEvent | ToolResultEvent | CondensationSummaryEvent;

/** Returns true for the events that a model reads. */
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

/** Returns true for the events that answer a tool call. */
export function isToolResult(event: { readonly type: string }): event is ToolResultEvent {
  return event.type === 'observation' || event.type === 'user-reject-observation' || event.type === 'agent-error';
}
