import type { ContentPart, Message } from '@palimpsest/events';
import type { CountedRequest } from './token-counter.js';

/** The functions that measure the pieces of a request. Unit: tokens. */
export interface Measure {
  readonly ofText: (text: string) => number;
  readonly perImage: number;
  /** The frame of a message. */
  readonly perMessage: number;
  /** The frame of a call or of a tool's definition. */
  readonly perTool: number;
  /** The fixed overhead of a request. */
  readonly perRequest: number;
}

/**
 * The sum over everything that a request sends. Signatures and opaque data are not counted, because providers do not bill them
 * by length.
 */
export function requestSize({ messages, tools = [] }: CountedRequest, measure: Measure): number {
  let total = measure.perRequest;
  for (const tool of tools) {
    total += measure.perTool + measure.ofText(tool.name) + measure.ofText(tool.description);
    total += measure.ofText(JSON.stringify(tool.inputSchema));
  }
  for (const message of messages) total += measure.perMessage + messageSize(message, measure);
  return total;
}

function messageSize(message: Message, measure: Measure): number {
  let total = partsSize(message.content, measure);
  if (message.role !== 'assistant') return total;
  for (const call of message.toolCalls ?? []) {
    total += measure.perTool + measure.ofText(call.name) + measure.ofText(call.arguments);
  }
  for (const block of message.thinkingBlocks ?? []) {
    if (block.type === 'thinking') total += measure.ofText(block.thinking);
  }
  return total + measure.ofText(message.reasoningContent ?? '');
}

function partsSize(parts: readonly ContentPart[], measure: Measure): number {
  let total = 0;
  for (const part of parts) {
    // Parts of other kinds are not sent.
    if (part.type === 'text') total += measure.ofText(part.text);
    else if (part.type === 'image') total += measure.perImage;
  }
  return total;
}
