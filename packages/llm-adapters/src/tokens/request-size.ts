import type { Message, ToolDefinition } from '@palimpsest/events';
import { remembering } from '../memo.js';
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
 * A function that gives the sum over everything that a request sends. Signatures and opaque data are not counted, because
 * providers do not bill them by length.
 *
 * The function remembers the sizes of frozen messages, as long as those live, and the size of the last tools: a request that has
 * grown costs little more than what is new in it.
 */
export function requestSizes(measure: Measure): (request: CountedRequest) => number {
  const ofTools = sizeOfTools(measure);
  const ofMessage = sizeOfMessage(measure);
  return ({ messages, tools = [] }) =>
    messages.reduce((total, message) => total + ofMessage(message), measure.perRequest + ofTools(tools));
}

function sizeOfTools({ ofText, perTool }: Measure): (tools: readonly ToolDefinition[]) => number {
  let last = { written: '[]', size: 0 };
  return (tools) => {
    // Agents pass new objects at each step, so the tools are compared by what is counted of them.
    const texts = tools.flatMap(({ name, description, inputSchema }) => [
      name,
      description,
      JSON.stringify(inputSchema),
    ]);
    const written = JSON.stringify(texts);
    if (written !== last.written) {
      last = { written, size: texts.reduce((sum, text) => sum + ofText(text), tools.length * perTool) };
    }
    return last.size;
  };
}

function sizeOfMessage({ ofText, perImage, perMessage, perTool }: Measure): (message: Message) => number {
  return remembering((message: Message) => {
    let total = perMessage;
    for (const part of message.content) {
      // Parts of other kinds are not sent.
      if (part.type === 'text') total += ofText(part.text);
      else if (part.type === 'image') total += perImage;
    }
    if (message.role !== 'assistant') return total;
    for (const call of message.toolCalls ?? []) total += perTool + ofText(call.name) + ofText(call.arguments);
    for (const block of message.thinkingBlocks ?? []) {
      if (block.type === 'thinking') total += ofText(block.thinking);
    }
    return total + ofText(message.reasoningContent ?? '');
  });
}
