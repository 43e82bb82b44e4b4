import * as z from 'zod/mini';
import { customKindSchema, nonEmptyString } from './event-base.js';
import type { CustomKind, Immutable } from './event-base.js';

/** The schema of {@link TextContent}. */
export const textContentSchema = z.object({ type: z.literal('text'), text: z.string() });

/** The schema of {@link ImageContent}. */
export const imageContentSchema = z.object({ type: z.literal('image'), url: nonEmptyString });

/** The schema of {@link ContentPart}. */
export const contentPartSchema = z.union([
  z.discriminatedUnion('type', [textContentSchema, imageContentSchema]),
  z.looseObject({ type: customKindSchema(['text', 'image']) }),
]);

/** The schema of {@link ToolCall}. */
export const toolCallSchema = z.object({
  id: nonEmptyString,
  name: nonEmptyString,
  arguments: z.string(),
  itemId: z.exactOptional(z.string()),
  thoughtSignature: z.exactOptional(z.string()),
});

const positionField = { position: z.exactOptional(z.int().check(z.minimum(0))) };

const knownThinkingBlockSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('thinking'),
    thinking: z.string(),
    signature: z.exactOptional(z.string()),
    ...positionField,
  }),
  z.object({ type: z.literal('redacted-thinking'), data: z.string(), ...positionField }),
]);

/** The schema of {@link ThinkingBlock}. */
export const thinkingBlockSchema = z.union([
  knownThinkingBlockSchema,
  z.looseObject({ type: customKindSchema(['thinking', 'redacted-thinking']) }),
]);

/** The schema of {@link ReasoningItem}. */
export const reasoningItemSchema = z.object({
  id: z.exactOptional(z.string()),
  summary: z.array(z.string()),
  content: z.exactOptional(z.array(z.string())),
  encryptedContent: z.exactOptional(z.string()),
  ...positionField,
});

/** A piece of text. */
export type TextContent = Immutable<z.infer<typeof textContentSchema>>;

/** An image, by an `https:` or a `data:` URL. */
export type ImageContent = Immutable<z.infer<typeof imageContentSchema>>;

/** A part that this package does not define. It is kept as it is and never sent to a model. */
export interface CustomContent {
  readonly type: CustomKind;
  readonly [field: string]: unknown;
}

/** A part that a model can be sent. */
export type KnownContent = TextContent | ImageContent;

/** A part of a message or a tool result. Narrow it by `type`. */
export type ContentPart = KnownContent | CustomContent;

/**
 * One call of a tool, as the model made it. `arguments` is the JSON text that the model wrote, which need not parse. What a host
 * asks of the model beside the tool's input (`securityRisk`, `summary`) stands on the action instead. `itemId` is the id of the
 * item that carried the call, where the provider gives one (OpenAI Responses). `thoughtSignature` is data that the provider
 * requires back with the call (Gemini).
 */
export type ToolCall = Immutable<z.infer<typeof toolCallSchema>>;

/**
 * A block of the model's thinking, signed by the provider or wholly opaque. Sent back unchanged or not at all. `position`
 * says how many parts of the answer stood before it: first the words, then the calls. Default 0: before all of them.
 */
export type KnownThinkingBlock = Immutable<z.infer<typeof knownThinkingBlockSchema>>;

/** A block that this package does not define. It is kept as it is, and nothing of its response's thinking is sent. */
export interface CustomThinkingBlock {
  readonly type: CustomKind;
  readonly [field: string]: unknown;
}

/** A block of the model's thinking. Narrow it by `type`. */
export type ThinkingBlock = KnownThinkingBlock | CustomThinkingBlock;

/** A provider's reasoning item (OpenAI Responses). Sent back unchanged or not at all. `position` as in a thinking block. */
export type ReasoningItem = Immutable<z.infer<typeof reasoningItemSchema>>;

/** The thinking of an assistant message, in the forms in which providers return it. */
export interface Thinking {
  readonly thinkingBlocks?: readonly ThinkingBlock[];
  readonly reasoningItems?: readonly ReasoningItem[];
  /** Unsigned reasoning text, as compatible servers return it (`reasoning_content`). */
  readonly reasoningContent?: string;
}

/** {@link Thinking} that can be sent. */
export interface KnownThinking extends Thinking {
  readonly thinkingBlocks?: readonly KnownThinkingBlock[];
}

/** The instructions, always first. */
export interface SystemMessage {
  readonly role: 'system';
  readonly content: readonly ContentPart[];
}

/** Words of the user, or of the framework in the user's place. */
export interface UserMessage {
  readonly role: 'user';
  readonly content: readonly ContentPart[];
}

/** Words, calls and thinking of the model. At least one of them is there. */
export interface AssistantMessage extends Thinking {
  readonly role: 'assistant';
  readonly content: readonly ContentPart[];
  readonly toolCalls?: readonly ToolCall[];
}

/** The result of one tool call. */
export interface ToolMessage {
  readonly role: 'tool';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: readonly ContentPart[];
  readonly isError?: boolean;
}

/** A message in the neutral wire vocabulary, before an adapter converts it to a provider's format. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;
