import { isMeaningful } from '@palimpsest/events';
import type Anthropic from '@anthropic-ai/sdk';
import type { Delta } from '../delta.js';
import { readHttpFailure } from '../http-failure.js';
import { plainAnswer } from '../http/plain-answer.js';
import { textOf } from '../wire/json-fields.js';
import { receivedToolName } from '../wire/received-call.js';
import { BrokenStreamError } from './broken-stream.js';
import type { SendCall } from '../sdk-llm.js';
import { MessageAssembly } from './message-assembly.js';
import { StreamedUsage } from './streamed-usage.js';
import type { RequestPlan } from './request-plan.js';

/** How an answer is streamed. */
export interface StreamCall {
  readonly signal: AbortSignal;
  /** Unit: milliseconds. */
  readonly timeoutMs: number;
  /** @defaultValue nobody hears the pieces */
  readonly onDelta?: (delta: Delta) => void;
  /** Called with every event, including events without a delta. */
  readonly heard: () => void;
  readonly onUsage?: SendCall['onUsage'];
}

/**
 * Streams an answer: passes on each piece and returns the whole message at the end. The inputs of its calls are the raw texts as
 * they came. Every request is streamed, whether anybody listens or not: without streaming there is no raw text, and no request for
 * a long answer. A server that ignores this answers with the message, whose inputs are parsed.
 *
 * @throws {@link BrokenStreamError} when the stream ends before the message does, or is not in the provider's form; any other error
 *   of the SDK.
 */
export async function streamMessage(
  client: Anthropic,
  body: Anthropic.MessageCreateParamsNonStreaming,
  plan: Pick<RequestPlan, 'names' | 'answer'>,
  { signal, timeoutMs, onDelta, heard, onUsage }: StreamCall,
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
      heard();
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

/** The error of a stream: the provider's own where it sent one, or where the connection failed. */
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
