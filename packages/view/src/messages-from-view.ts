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
  ContentPart,
  EventId,
  KnownContent,
  KnownThinking,
  Message,
  MessageEvent,
  ToolCall,
  ToolMessage,
  ToolResultEvent,
} from '@palimpsest/events';
import { sentIdOf } from './batches.js';
import type { BatchInList, SentItem, SentOrder } from './list-analysis.js';
import type { RenderOptions, ThinkingMode } from './render-options.js';

/** What rendering needs besides the order. */
export interface RenderContext {
  readonly thinking: ThinkingMode;
  readonly labelObservation?: RenderOptions['labelObservation'];
  /** True for an event whose signed thinking no longer verifies. */
  readonly isStale: (eventId: EventId) => boolean;
}

/** Puts what is sent into messages. Neighbouring user messages become one, unless an assistant event stands between. */
export function messagesFromOrder(order: SentOrder, context: RenderContext): readonly Message[] {
  const messages: Message[] = [];
  if (order.system !== undefined) {
    const content = systemPromptContent(order.system);
    if (content.length > 0) messages.push({ role: 'system', content });
  }
  for (const item of order.items) addItem(messages, item, context);
  return messages;
}

function addItem(messages: Message[], item: SentItem, context: RenderContext): void {
  switch (item.kind) {
    case 'words': {
      const { event } = item;
      if (event.type === 'message' && event.role === 'assistant') {
        const all = [...event.content, ...(event.extendedContent ?? [])];
        const message = assistantMessage(
          messageContent(event),
          [],
          repositioned(thinkingOf(event, context), all, isMeaningful),
        );
        if (message !== undefined) messages.push(message);
        return;
      }
      const content = event.type === 'message' ? messageContent(event) : summaryContent(event);
      const last = messages.at(-1);
      if (last?.role === 'user' && !item.afterAssistant) {
        // The array is the copy made below; a new one for each merged message would cost the square of their number.
        for (const part of content) (last.content as ContentPart[]).push(part);
      } else {
        messages.push({ role: 'user', content: [...content] });
      }
      return;
    }
    case 'batch':
      addBatch(messages, item.batch, context);
      return;
    case 'late':
      messages.push({ role: 'assistant', content: [], toolCalls: [sentCall(item.action, sentIdOf(item.call))] });
      messages.push(toolMessage(item.result, sentIdOf(item.call), context));
  }
}

function addBatch(messages: Message[], entry: BatchInList, context: RenderContext): void {
  const carrier = entry.batch.calls[0]?.action;
  const thoughts = entry.actions.map(({ event }) => event.thought);
  if (carrier !== undefined && entry.actions[0]?.event.id !== carrier.id) thoughts.unshift(carrier.thought);
  const calls = entry.actions.map(({ event, call }) => sentCall(event, sentIdOf(call)));
  const said = thoughts.flat();
  const words = meaningfulContent(said);
  const thinking =
    carrier === undefined
      ? {}
      : placed(repositioned(thinkingOf(carrier, context), said, isMeaningful), words.length, entry, context);
  const message = assistantMessage(words, calls, thinking);
  if (message !== undefined) messages.push(message);
  const sentIds = new Map(entry.actions.map(({ call }) => [call.resultId, sentIdOf(call)]));
  for (const result of entry.results) {
    messages.push(toolMessage(result, sentIds.get(result.id) ?? result.toolCallId, context));
  }
}

function assistantMessage(
  content: readonly KnownContent[],
  toolCalls: readonly ToolCall[],
  thinking: KnownThinking,
): AssistantMessage | undefined {
  if (content.length === 0 && toolCalls.length === 0 && Object.keys(thinking).length === 0) return undefined;
  return { role: 'assistant', content, ...(toolCalls.length === 0 ? {} : { toolCalls }), ...thinking };
}

/** Only signed blocks are bound to what stands before them; a provider's reasoning items and plain text are not. */
function thinkingOf(event: ActionEvent | MessageEvent, { thinking, isStale }: RenderContext): KnownThinking {
  if (thinking === 'none') return {};
  const { thinkingBlocks = [], ...rest } = knownThinking(event);
  const isSent = thinkingBlocks.length > 0 && !(thinking === 'prefix-bound' && isStale(event.id));
  return isSent ? { thinkingBlocks, ...rest } : rest;
}

/**
 * Thinking that stood between calls keeps its place when some of the calls before it are not sent; signed blocks that are
 * bound to everything before them are left out then, since the provider would refuse them.
 */
function placed(
  thinking: KnownThinking,
  words: number,
  { batch, actions }: BatchInList,
  { thinking: mode }: RenderContext,
): KnownThinking {
  if (actions.length === batch.calls.length) return thinking;
  const sent = new Set(actions.map(({ event }) => event.id));
  const before = (piece: { readonly position?: number }) =>
    batch.calls.slice(0, Math.max(0, (piece.position ?? 0) - words));
  const place = <Piece extends { readonly position?: number }>(piece: Piece): Piece => {
    const calls = before(piece);
    const kept = calls.filter(({ action }) => sent.has(action.id));
    return kept.length === calls.length ? piece : { ...piece, position: words + kept.length };
  };
  const isWhole = (piece: { readonly position?: number }) =>
    mode !== 'prefix-bound' || before(piece).every(({ action }) => sent.has(action.id));
  const blocks = thinking.thinkingBlocks?.filter(isWhole).map(place) ?? [];
  const { thinkingBlocks: _blocks, ...rest } = thinking;
  return {
    ...rest,
    ...(blocks.length === 0 ? {} : { thinkingBlocks: blocks }),
    ...(thinking.reasoningItems === undefined ? {} : { reasoningItems: thinking.reasoningItems.map(place) }),
  };
}

function sentCall(action: ActionEvent, sentId: string): ToolCall {
  const call = wellFormedToolCall(action.toolCall);
  return call.id === sentId ? call : { ...call, id: sentId };
}

function toolMessage(event: ToolResultEvent, toolCallId: string, context: RenderContext): ToolMessage {
  const content = toolResultContent(event);
  const label = context.labelObservation?.(event);
  return {
    role: 'tool',
    toolCallId,
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
