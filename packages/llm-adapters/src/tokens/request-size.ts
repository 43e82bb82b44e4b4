import type { ContentPart, Message, ToolDefinition } from '@palimpsest/events';
import { HistoryRuns } from '../history-runs.js';
import type { HistoryReader } from '../history-runs.js';
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
 * The function remembers the sizes of frozen messages and of the parts of frozen user messages, as long as those live, and the size
 * of the last tools: a request that has grown costs what is new in it.
 */
export function requestSizes(measure: Measure): (request: CountedRequest) => number {
  const ofTools = sizeOfTools(measure);
  const ofMessage = sizeOfMessage(measure);
  const runs = new HistoryRuns<HistorySize>();
  return ({ messages, tools = [] }) =>
    measure.perRequest + ofTools(tools) + runs.read(messages, () => new HistorySize(ofMessage, 0)).total;
}

class HistorySize implements HistoryReader<HistorySize> {
  readonly #ofMessage: (message: Message) => number;
  total: number;

  constructor(ofMessage: (message: Message) => number, total: number) {
    this.#ofMessage = ofMessage;
    this.total = total;
  }

  add(message: Message): void {
    this.total += this.#ofMessage(message);
  }

  fork(): HistorySize {
    return new HistorySize(this.#ofMessage, this.total);
  }
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
  // Parts of other kinds are not sent.
  const ofPart = (part: ContentPart) =>
    part.type === 'text' ? ofText(part.text) : part.type === 'image' ? perImage : 0;
  // The last user message grows with what the user adds, and is then another object with the same parts.
  const ofUsersPart = remembering(ofPart);
  return remembering((message: Message) => {
    let total = perMessage;
    for (const part of message.content) total += message.role === 'user' ? ofUsersPart(part) : ofPart(part);
    if (message.role !== 'assistant') return total;
    for (const call of message.toolCalls ?? []) total += perTool + ofText(call.name) + ofText(call.arguments);
    for (const block of message.thinkingBlocks ?? []) {
      if (block.type === 'thinking') total += ofText(block.thinking);
    }
    return total + ofText(message.reasoningContent ?? '');
  });
}
