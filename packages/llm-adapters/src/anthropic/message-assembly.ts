import type Anthropic from '@anthropic-ai/sdk';
import type { StreamedUsage } from './streamed-usage.js';

type Block = Readonly<Record<string, unknown>> & { readonly type?: unknown };

/** A block with the pieces that have arrived. */
interface GrowingBlock {
  block: Block;
  /** The raw text of a tool's input. Empty if no piece came; the start of the block then holds the input. */
  input: string;
}

/**
 * A message from the events of its stream, as the provider sends it without streaming, with one difference: an input that came in
 * pieces stays the raw text. A parser that completes half an input would make a whole call of it. Unknown events, blocks and
 * pieces are passed over.
 *
 * @see provider-rules A.9
 */
export class MessageAssembly {
  readonly #blocks: GrowingBlock[] = [];
  readonly #usage: StreamedUsage;
  readonly #places = new Map<number, GrowingBlock>();
  #message: Readonly<Record<string, unknown>> | undefined;
  #hasEnded = false;

  constructor(usage: StreamedUsage) {
    this.#usage = usage;
  }

  /** The message, once its last event has come. */
  get whole(): Anthropic.Message | undefined {
    if (!this.#hasEnded || this.#message === undefined) return undefined;
    const content = this.#blocks.map(({ block, input }) => (input === '' ? block : { ...block, input }));
    return { ...this.#message, content, usage: this.#usage.reported } as unknown as Anthropic.Message;
  }

  read(event: Anthropic.MessageStreamEvent): void {
    switch (event.type) {
      case 'message_start':
        this.#message = { ...event.message };
        break;
      case 'content_block_start': {
        const growing = { block: { ...event.content_block } as Block, input: '' };
        this.#blocks.push(growing);
        this.#places.set(event.index, growing);
        break;
      }
      case 'content_block_delta': {
        const growing = this.#places.get(event.index);
        if (growing !== undefined) add(growing, event.delta);
        break;
      }
      case 'message_delta':
        // Also the container and the details of the end.
        this.#message = { ...this.#message, ...event.delta };
        break;
      case 'message_stop':
        this.#hasEnded = true;
        break;
      default:
    }
  }
}

function add(growing: GrowingBlock, delta: Anthropic.RawContentBlockDelta): void {
  const { block } = growing;
  switch (delta.type) {
    case 'text_delta':
      if (block.type === 'text') growing.block = { ...block, text: textAt(block.text) + delta.text };
      break;
    case 'thinking_delta':
      if (block.type === 'thinking') growing.block = { ...block, thinking: textAt(block.thinking) + delta.thinking };
      break;
    case 'signature_delta':
      if (block.type === 'thinking') growing.block = { ...block, signature: delta.signature };
      break;
    case 'citations_delta': {
      const before: readonly unknown[] = Array.isArray(block.citations) ? block.citations : [];
      if (block.type === 'text') growing.block = { ...block, citations: [...before, delta.citation] };
      break;
    }
    case 'input_json_delta':
      growing.input += delta.partial_json;
      break;
    default:
  }
}

function textAt(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
