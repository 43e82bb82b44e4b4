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
  EventId,
  KnownContent,
  KnownThinking,
  Message,
  MessageEvent,
  ToolCall,
  ToolMessage,
} from '@palimpsest/events';
import type { RenderOptions, ThinkingMode } from './render-options.js';
import type { SentBatch, SentCall, SentItem, SentOrder, SentResult } from './sent-order.js';

/** The input of rendering besides the order. */
export interface RenderContext {
  readonly thinking: ThinkingMode;
  readonly labelObservation?: RenderOptions['labelObservation'];
}

/** Renders the sent items as messages. Adjacent user messages are merged, unless there is an assistant event between them. */
export function messagesFromOrder(order: SentOrder, context: RenderContext): readonly Message[] {
  const messages: Message[] = [];
  if (order.system !== undefined) {
    const content = systemPromptContent(order.system);
    if (content.length > 0) messages.push({ role: 'system', content });
  }
  const rendering = { ...context, isStale: (id: EventId) => order.isThinkingStale(id) };
  for (const item of order.items) {
    const made = messagesOf(item, rendering);
    const [first] = made;
    const last = messages.at(-1);
    if (item.kind === 'words' && first?.role === 'user' && last?.role === 'user' && !item.afterAssistant) {
      // The array belongs to this message, so it is extended in place. A new array for each merge would make the cost
      // quadratic.
      for (const part of first.content) (last.content as ContentPart[]).push(part);
    } else {
      messages.push(...made);
    }
  }
  return messages;
}

/**
 * The messages of one item of {@link View.sent}, before adjacent user messages are merged. For renderers that pass most of a
 * history through unchanged and need messages for the rest.
 */
export function itemMessages(item: SentItem, order: SentOrder, options: RenderOptions = {}): readonly Message[] {
  const { thinking = order.thinking, labelObservation } = options;
  return messagesOf(item, { thinking, labelObservation, isStale: (id) => order.isThinkingStale(id) });
}

interface Rendering extends RenderContext {
  /** True for an event whose signed thinking no longer verifies. */
  readonly isStale: (id: EventId) => boolean;
}

function messagesOf(item: SentItem, rendering: Rendering): readonly Message[] {
  switch (item.kind) {
    case 'words':
      return wordsMessages(item.event, rendering);
    case 'batch':
      return batchMessages(item, rendering);
    case 'late':
      return [
        { role: 'assistant', content: [], toolCalls: [sentCall(item.call)] },
        toolMessage(item.result, rendering),
      ];
  }
}

function wordsMessages(event: MessageEvent | CondensationSummaryEvent, rendering: Rendering): readonly Message[] {
  if (event.type === 'message' && event.role === 'assistant') {
    const all = [...event.content, ...(event.extendedContent ?? [])];
    const thinking = repositioned(thinkingOf(event, rendering), all, isMeaningful);
    const message = assistantMessage(messageContent(event), [], thinking);
    return message === undefined ? [] : [message];
  }
  const content = event.type === 'message' ? messageContent(event) : summaryContent(event);
  return [{ role: 'user', content: [...content] }];
}

function batchMessages(batch: SentBatch, rendering: Rendering): readonly Message[] {
  const { calls, results, response } = batch;
  const [carrier] = response;
  const thoughts = calls.map(({ event }) => event.thought);
  if (carrier !== undefined && calls[0]?.event.id !== carrier.id) thoughts.unshift(carrier.thought);
  const said = thoughts.flat();
  const words = meaningfulContent(said);
  const thinking =
    carrier === undefined
      ? {}
      : placed(repositioned(thinkingOf(carrier, rendering), said, isMeaningful), words.length, batch, rendering);
  const message = assistantMessage(words, calls.map(sentCall), thinking);
  return [...(message === undefined ? [] : [message]), ...results.map((result) => toolMessage(result, rendering))];
}

function assistantMessage(
  content: readonly KnownContent[],
  toolCalls: readonly ToolCall[],
  thinking: KnownThinking,
): AssistantMessage | undefined {
  if (content.length === 0 && toolCalls.length === 0 && Object.keys(thinking).length === 0) return undefined;
  return { role: 'assistant', content, ...(toolCalls.length === 0 ? {} : { toolCalls }), ...thinking };
}

/** Only signed blocks are bound to the content before them. Reasoning items and plain reasoning text are not. */
function thinkingOf(event: ActionEvent | MessageEvent, { thinking, isStale }: Rendering): KnownThinking {
  if (thinking === 'none') return {};
  const { thinkingBlocks = [], ...rest } = knownThinking(event);
  const isSent = thinkingBlocks.length > 0 && !(thinking === 'prefix-bound' && isStale(event.id));
  return isSent ? { thinkingBlocks, ...rest } : rest;
}

/**
 * Adjusts the positions of thinking between calls if some of the calls before it are not sent. Signed blocks that are bound to
 * everything before them are left out in this case, because the provider would refuse them.
 */
function placed(
  thinking: KnownThinking,
  words: number,
  { calls, response }: SentBatch,
  { thinking: mode }: Rendering,
): KnownThinking {
  if (calls.length === response.length) return thinking;
  const sent = new Set(calls.map(({ event }) => event.id));
  const before = (piece: { readonly position?: number }) =>
    response.slice(0, Math.max(0, (piece.position ?? 0) - words));
  const place = <Piece extends { readonly position?: number }>(piece: Piece): Piece => {
    const all = before(piece);
    const kept = all.filter(({ id }) => sent.has(id));
    return kept.length === all.length ? piece : { ...piece, position: words + kept.length };
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
  return call.id === sentId ? call : { ...call, id: sentId };
}

function toolMessage({ event, sentId }: SentResult, context: RenderContext): ToolMessage {
  const content = toolResultContent(event);
  const label = context.labelObservation?.(event);
  return {
    role: 'tool',
    toolCallId: sentId,
    toolName: event.toolName.toWellFormed(),
    content: label === undefined ? content : withLabel(content, label.toWellFormed()),
    ...(isErrorResult(event) ? { isError: true } : {}),
  };
}

function withLabel(content: readonly ContentPart[], label: string): readonly ContentPart[] {
  const last = content.at(-1);
  if (last?.type !== 'text') return [...content, { type: 'text', text: label }];
  return [...content.slice(0, -1), { type: 'text', text: `${last.text}\n${label}` }];
}
