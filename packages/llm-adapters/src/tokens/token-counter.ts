import { PalimpsestError } from '@palimpsest/events';
import type { Message, ToolDefinition } from '@palimpsest/events';
import type { CompletionRequest } from '../llm.js';
import { remembering } from '../memo.js';

/** The parts of a request that are counted. */
export type CountedRequest = Pick<CompletionRequest, 'messages' | 'tools'>;

/** A counter of the tokens of a request, offline. */
export interface TokenCounter {
  /** The name of the counting method, for logs: `o200k_base`, `estimate`. */
  readonly name: string;
  /**
   * Returns the size of a request. Unit: tokens of input.
   *
   * @throws {@link TokenCountError} when it cannot count; it never answers 0 instead.
   */
  count(request: CountedRequest): number;
}

/** A request could not be counted. The original error is `cause`. */
export class TokenCountError extends PalimpsestError {
  static override get typeName(): string {
    return 'TokenCountError';
  }

  /** The {@link TokenCounter.name} of the counter that failed. */
  readonly counter: string;

  constructor(counter: string, why: string, options?: { readonly cause?: unknown }) {
    super('token-count', `${counter} could not count the request: ${why}`, options);
    this.counter = counter;
  }
}

/** Wraps a counter: any error that it throws and any invalid count becomes a {@link TokenCountError}. */
export function safeCounter(name: string, count: (request: CountedRequest) => number): TokenCounter {
  return {
    name,
    count: (request) => {
      let tokens: number;
      try {
        tokens = count(request);
      } catch (cause) {
        throw new TokenCountError(name, cause instanceof Error ? cause.message : String(cause), { cause });
      }
      if (!Number.isFinite(tokens) || tokens < 0) throw new TokenCountError(name, `it gave ${tokens}`);
      return tokens;
    },
  };
}

/** The functions that measure the pieces of a request. Unit: tokens. */
interface Measure {
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
 * Returns a function that gives the sum over everything that a request sends. Signatures and opaque data are not
 * counted, because providers do not bill them by length.
 *
 * The function remembers the sizes of frozen messages, as long as those live, and the size of the last tools: a request
 * that has grown costs little more than what is new in it.
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
