import {
  isErrorResult,
  isMeaningful,
  knownThinking,
  meaningfulContent,
  messageContent,
  repositioned,
  summaryContent,
  systemPromptContent,
  toolResultContent,
  wellFormedToolCall,
} from '@palimpsest/events';
import type {
  ActionEvent,
  AssistantMessage,
  CondensationSummaryEvent,
  ContentPart,
  KnownContent,
  KnownThinking,
  LLMConvertibleEvent,
  Message,
  MessageEvent,
  SystemMessage,
  SystemPromptEvent,
  ToolCall,
  ToolMessage,
  UserMessage,
} from '@palimpsest/events';
import type { SentBatch, SentCall, SentItem, SentResult } from '../fold/send-order.js';
import type { RenderOptions, SentOrder, ThinkingMode } from '../view.js';

/** The input of rendering besides the order. */
export interface RenderContext {
  readonly thinking: ThinkingMode;
  readonly labelObservation?: RenderOptions['labelObservation'];
}

/** The input of rendering an answer of the model. */
export interface AnswerContext extends RenderContext {
  /** The answer's signed thinking no longer verifies. */
  readonly isStale: boolean;
}

/**
 * Returns the messages of one item of {@link View.sent}, before adjacent user messages are merged. For renderers that
 * pass most of a history through unchanged and need messages for the rest. The messages are frozen.
 */
export function itemMessages(item: SentItem, order: SentOrder, options: RenderOptions = {}): readonly Message[] {
  const { thinking = order.thinking, labelObservation } = options;
  const contextOf = (event: LLMConvertibleEvent | undefined): AnswerContext => {
    const isStale = event !== undefined && order.isThinkingStale(event.id);
    return { thinking, labelObservation, isStale };
  };
  switch (item.kind) {
    case 'words': {
      const message = wordsMessage(item.event, contextOf(item.event));
      return message === undefined ? [] : [message];
    }
    case 'batch': {
      const context = contextOf(item.response[0]);
      const message = callsMessage(item, context);
      const results = item.results.map((result) => toolMessage(result, context));
      return message === undefined ? results : [message, ...results];
    }
    case 'late':
      return [lateCallMessage(item.call), toolMessage(item.result, { thinking, labelObservation })];
  }
}

/** Returns the message of the instructions. Undefined if they are blank. */
export function systemMessage(event: SystemPromptEvent): SystemMessage | undefined {
  const content = systemPromptContent(event);
  return content.length === 0 ? undefined : Object.freeze({ role: 'system', content: frozenList(content) });
}

/**
 * Returns the message of the user, the model or the environment, or of a summary. Undefined if nothing of it is sent.
 */
export function wordsMessage(
  event: MessageEvent | CondensationSummaryEvent,
  context: AnswerContext,
): AssistantMessage | UserMessage | undefined {
  if (event.type === 'message' && event.role === 'assistant') {
    const all = event.extendedContent === undefined ? event.content : [...event.content, ...event.extendedContent];
    const thinking = repositioned(thinkingOf(event, context), all, isMeaningful);
    return assistantMessage(messageContent(event), [], thinking);
  }
  return userMessage(event.type === 'message' ? messageContent(event) : summaryContent(event));
}

/** Returns one message with the content of several. */
export function mergedMessage(messages: readonly Message[]): UserMessage {
  return userMessage(messages.flatMap(({ content }) => content));
}

/** Returns the message of one response's calls, with its words and thinking. */
export function callsMessage(batch: SentBatch, context: AnswerContext): AssistantMessage | undefined {
  const { calls, response } = batch;
  const [carrier] = response;
  const said = thoughtsOf(batch);
  const words = meaningfulContent(said);
  const thinking =
    carrier === undefined
      ? {}
      : placed(repositioned(thinkingOf(carrier, context), said, isMeaningful), words.length, batch, context);
  return assistantMessage(words, calls.map(sentCall), thinking);
}

function thoughtsOf({ calls, response: [carrier] }: SentBatch): readonly ContentPart[] {
  const [first] = calls;
  if (calls.length === 1 && first !== undefined && first.event.id === carrier?.id) return first.event.thought;
  const thoughts = calls.map(({ event }) => event.thought);
  if (carrier !== undefined && calls[0]?.event.id !== carrier.id) thoughts.unshift(carrier.thought);
  const [only] = thoughts;
  return thoughts.length === 1 && only !== undefined ? only : thoughts.flat();
}

/** Returns the message of a call whose result came after a later response. Its words and thinking are not sent. */
export function lateCallMessage(call: SentCall): AssistantMessage {
  return answer({ role: 'assistant', content: noContent, toolCalls: frozenList([sentCall(call)]) });
}

const noContent: readonly ContentPart[] = Object.freeze([]);

function userMessage(content: readonly ContentPart[]): UserMessage {
  return Object.freeze({ role: 'user', content: frozenList(content) });
}

function assistantMessage(
  content: readonly KnownContent[],
  toolCalls: readonly ToolCall[],
  { thinkingBlocks, reasoningItems, reasoningContent }: KnownThinking,
): AssistantMessage | undefined {
  const hasThinking = (thinkingBlocks ?? reasoningItems ?? reasoningContent) !== undefined;
  if (content.length === 0 && toolCalls.length === 0 && !hasThinking) return undefined;
  // Field by field: this runs for each answer of a log, and most have no thinking.
  const message: Mutable<AssistantMessage> = { role: 'assistant', content: frozenList(content) };
  if (toolCalls.length > 0) message.toolCalls = frozenList(toolCalls);
  if (thinkingBlocks !== undefined) message.thinkingBlocks = frozenList(thinkingBlocks);
  if (reasoningItems !== undefined) message.reasoningItems = frozenList(reasoningItems);
  if (reasoningContent !== undefined) message.reasoningContent = reasoningContent;
  return answer(message);
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

function answer(message: AssistantMessage): AssistantMessage {
  return Object.freeze(message);
}

/** Lists of checked events are frozen and shared. The list of an unchecked event is copied, because its owner can change it. */
function frozenList<Item>(items: readonly Item[]): readonly Item[] {
  return Object.isFrozen(items) ? items : Object.freeze([...items]);
}

/** Only signed blocks are bound to the content before them. Reasoning items and plain reasoning text are not. */
function thinkingOf(event: ActionEvent | MessageEvent, { thinking, isStale }: AnswerContext): KnownThinking {
  if (thinking === 'none') return {};
  const known = knownThinking(event);
  if (known.thinkingBlocks === undefined) return known;
  const { thinkingBlocks, ...rest } = known;
  const isSent = thinkingBlocks.length > 0 && !(thinking === 'prefix-bound' && isStale);
  return isSent ? known : rest;
}

/**
 * Adjusts the positions of thinking between calls if some of the calls before it are not sent. Signed blocks that are bound to
 * everything before them are left out in this case, because the provider would refuse them.
 */
function placed(
  thinking: KnownThinking,
  words: number,
  { calls, response }: SentBatch,
  { thinking: mode }: RenderContext,
): KnownThinking {
  if (calls.length === response.length) return thinking;
  const sent = new Set(calls.map(({ event }) => event.id));
  const before = (piece: { readonly position?: number }) =>
    response.slice(0, Math.max(0, (piece.position ?? 0) - words));
  const place = <Piece extends { readonly position?: number }>(piece: Piece): Piece => {
    const all = before(piece);
    const kept = all.filter(({ id }) => sent.has(id));
    return kept.length === all.length ? piece : Object.freeze({ ...piece, position: words + kept.length });
  };
  const isWhole = (piece: { readonly position?: number }) =>
    mode !== 'prefix-bound' || before(piece).every(({ id }) => sent.has(id));
  const blocks = thinking.thinkingBlocks?.filter(isWhole).map(place) ?? [];
  const { thinkingBlocks: _blocks, ...rest } = thinking;
  return {
    ...rest,
    ...(blocks.length === 0 ? {} : { thinkingBlocks: blocks }),
    ...(thinking.reasoningItems === undefined ? {} : { reasoningItems: thinking.reasoningItems.map(place) }),
  };
}

function sentCall({ event, sentId }: SentCall): ToolCall {
  const call = wellFormedToolCall(event.toolCall);
  return call.id === sentId ? call : Object.freeze({ ...call, id: sentId });
}

/** Returns the message of a call's result. */
export function toolMessage({ event, sentId }: SentResult, context: RenderContext): ToolMessage {
  const content = toolResultContent(event);
  const label = context.labelObservation?.(event);
  const message: Mutable<ToolMessage> = {
    role: 'tool',
    toolCallId: sentId,
    toolName: event.toolName.toWellFormed(),
    content: frozenList(label === undefined ? content : withLabel(content, label.toWellFormed())),
  };
  if (isErrorResult(event)) message.isError = true;
  return Object.freeze(message);
}

function withLabel(content: readonly ContentPart[], label: string): readonly ContentPart[] {
  const last = content.at(-1);
  if (last?.type !== 'text') return [...content, textPart(label)];
  return [...content.slice(0, -1), textPart(`${last.text}\n${label}`)];
}

function textPart(text: string): ContentPart {
  return Object.freeze({ type: 'text', text });
}
