import type Anthropic from '@anthropic-ai/sdk';
import { isMeaningful } from '@palimpsest/events';
import type { Delta } from '../llm.js';
import { readHttpFailure } from '../http-failure.js';
import { plainAnswer } from '../sdk-client.js';
import type { SendCall } from '../sdk-llm.js';
import { textOf } from '../wire/json-fields.js';
import { receivedToolName } from '../wire/pieces.js';
import { anthropicUsage } from '../wire/reported-usage.js';
import type { ReportedUsage } from '../wire/reported-usage.js';
import { BrokenStreamError } from './map-error.js';
import type { RequestPlan } from './request.js';

/** The options of streaming an answer. */
interface StreamCall {
  readonly signal: AbortSignal;
  /** Unit: milliseconds. */
  readonly timeoutMs: number;
  /** @defaultValue nobody hears the pieces */
  readonly onDelta?: (delta: Delta) => void;
  /** Called with every event, including events without a delta. */
  readonly onActivity: () => void;
  readonly onUsage?: SendCall['onUsage'];
}

/**
 * Streams an answer: passes on each piece and returns the whole message at the end. The inputs of its calls are the raw
 * texts as they came. Every request is streamed, whether anybody listens or not: without streaming there is no raw
 * text, and no request for a long answer. A server that ignores this answers with the message, whose inputs are parsed.
 *
 * @throws {@link BrokenStreamError} when the stream ends before the message does, or is not in the provider's form; any
 *   other error of the SDK.
 */
export async function streamMessage(
  client: Anthropic,
  body: Anthropic.MessageCreateParamsNonStreaming,
  plan: Pick<RequestPlan, 'names' | 'answer'>,
  { signal, timeoutMs, onDelta, onActivity, onUsage }: StreamCall,
): Promise<Anthropic.Message> {
  const asked = client.messages.create({ ...body, stream: true }, { signal, timeout: timeoutMs });
  const { data: events, response } = await asked.withResponse();
  const plain = await plainAnswer(response).catch((thrown: unknown) => {
    throw brokenStream(thrown, signal);
  });
  if (plain !== undefined) return plain as Anthropic.Message;
  const usage = new StreamedUsage();
  const assembly = new MessageAssembly(usage);
  const deltas = onDelta === undefined ? undefined : new DeltaReader(plan, onDelta);
  try {
    for await (const event of events) {
      onActivity();
      const counted = usage.read(event);
      assembly.read(event);
      if (counted !== undefined) onUsage?.(counted.usage, counted);
      deltas?.read(event);
    }
  } catch (thrown) {
    // A failure after the end of the answer does not affect the answer.
    if (assembly.whole === undefined) throw brokenStream(thrown, signal);
  }
  signal.throwIfAborted();
  if (assembly.whole === undefined) throw new BrokenStreamError(new Error('the last event is missing'));
  return assembly.whole;
}

/** Returns the error of a stream: the provider's own where it sent one, or where the connection failed. */
function brokenStream(thrown: unknown, signal: AbortSignal): unknown {
  signal.throwIfAborted();
  const { statusCode, body, isConnection } = readHttpFailure(thrown);
  return statusCode !== undefined || body !== undefined || isConnection ? thrown : new BrokenStreamError(thrown);
}

type Open =
  | { readonly type: 'text'; held: string }
  | { readonly type: 'call'; readonly index: number; readonly input: unknown; isEmpty: boolean }
  | { readonly type: 'answer'; readonly input: unknown; isEmpty: boolean };

/** Turns the provider's events into deltas of ours. */
class DeltaReader {
  readonly #plan: Pick<RequestPlan, 'names' | 'answer'>;
  readonly #onDelta: (delta: Delta) => void;
  readonly #open = new Map<number, Open>();
  #calls = 0;

  constructor(plan: Pick<RequestPlan, 'names' | 'answer'>, onDelta: (delta: Delta) => void) {
    this.#plan = plan;
    this.#onDelta = onDelta;
  }

  read(event: Anthropic.MessageStreamEvent): void {
    switch (event.type) {
      case 'content_block_start':
        this.#start(event.index, event.content_block);
        break;
      case 'content_block_delta':
        this.#fill(this.#open.get(event.index), event.delta);
        break;
      case 'content_block_stop':
        this.#stop(this.#open.get(event.index));
        break;
      default:
      // Events of the message itself, and unknown events.
    }
  }

  #start(at: number, block: Anthropic.ContentBlock): void {
    if (block.type === 'text') {
      const open: Open = { type: 'text', held: '' };
      this.#open.set(at, open);
      this.#addText(open, block.text);
    } else if (block.type === 'thinking') {
      this.#addThinking(block.thinking);
    } else if (block.type === 'tool_use') {
      if (this.#plan.answer !== undefined && block.name === this.#plan.answer.wireName) {
        this.#open.set(at, { type: 'answer', input: block.input, isEmpty: true });
        return;
      }
      const index = this.#calls++;
      this.#open.set(at, { type: 'call', index, input: block.input, isEmpty: true });
      const id = textOf(block.id);
      const name = receivedToolName(block.name, this.#plan.names);
      this.#onDelta({ type: 'tool-call', index, id, name, arguments: '' });
    }
  }

  #fill(open: Open | undefined, delta: Anthropic.RawContentBlockDelta): void {
    if (delta.type === 'thinking_delta') this.#addThinking(delta.thinking);
    else if (delta.type === 'text_delta' && open?.type === 'text') this.#addText(open, delta.text);
    else if (delta.type === 'input_json_delta' && open !== undefined && open.type !== 'text') {
      this.#addInput(open, delta.partial_json);
    }
  }

  /** If no piece of an input came, the block's start holds the input, which is usually empty. */
  #stop(open: Open | undefined): void {
    if (open === undefined || open.type === 'text' || !open.isEmpty) return;
    this.#addInput(open, JSON.stringify(open.input ?? {}));
  }

  #addThinking(text: string): void {
    if (text !== '') this.#onDelta({ type: 'thinking', text });
  }

  /** Blank text is not part of the message, so it is held back until other text follows. */
  #addText(open: Open & { readonly type: 'text' }, piece: string): void {
    const text = open.held + piece;
    if (isMeaningful({ type: 'text', text })) {
      this.#onDelta({ type: 'text', text });
      open.held = '';
    } else {
      open.held = text;
    }
  }

  #addInput(open: Open & { readonly type: 'call' | 'answer' }, piece: string): void {
    if (piece === '') return;
    open.isEmpty = false;
    if (open.type === 'call') this.#onDelta({ type: 'tool-call', index: open.index, arguments: piece });
    else this.#onDelta({ type: 'text', text: piece });
  }
}

type Block = Readonly<Record<string, unknown>> & { readonly type?: unknown };

/** A block with the pieces that have arrived. */
interface GrowingBlock {
  block: Block;
  /** The raw text of a tool's input. Empty if no piece came; the start of the block then holds the input. */
  input: string;
}

/**
 * A message from the events of its stream, as the provider sends it without streaming, with one difference: an input
 * that came in pieces stays the raw text. A parser that completes half an input would make a whole call of it. Unknown
 * events, blocks and pieces are passed over.
 *
 * @see provider-rules A.9
 */
class MessageAssembly {
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

/**
 * The usage that a stream has reported so far. Its start reports the input; its end reports everything, and its input fields
 * may be null. Other servers with this protocol may report no usage.
 *
 * @see provider-rules A.9
 */
class StreamedUsage {
  #usage: Readonly<Record<string, unknown>> = {};

  /** All that was reported, in the provider's form. */
  get reported(): Readonly<Record<string, unknown>> {
    return this.#usage;
  }

  /** Returns the usage after an event that changes it; undefined after any other event. */
  read(event: Anthropic.MessageStreamEvent): ReportedUsage | undefined {
    const said: unknown =
      event.type === 'message_start' ? event.message.usage : event.type === 'message_delta' ? event.usage : undefined;
    if (typeof said !== 'object' || said === null) return undefined;
    const known = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null));
    this.#usage = { ...this.#usage, ...known };
    const { input_tokens, output_tokens } = this.#usage;
    const isCounted = Number.isInteger(input_tokens) && Number.isInteger(output_tokens);
    return isCounted ? anthropicUsage(this.#usage) : undefined;
  }
}
