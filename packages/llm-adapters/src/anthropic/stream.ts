import { isMeaningful } from '@palimpsest/events';
import type Anthropic from '@anthropic-ai/sdk';
import type { Delta } from '../delta.js';
import { readHttpFailure } from '../http-failure.js';
import { textOf } from '../wire/json-fields.js';
import { receivedToolName } from '../wire/received-call.js';
import { BrokenStreamError } from './broken-stream.js';
import type { SendCall } from '../sdk-llm.js';
import { StreamedUsage } from './streamed-usage.js';
import type { RequestPlan } from './request-plan.js';

/** How an answer is streamed. */
export interface StreamCall {
  readonly signal: AbortSignal;
  /** Unit: milliseconds. */
  readonly timeoutMs: number;
  readonly onDelta: (delta: Delta) => void;
  /** Called with every event, including events without a delta. */
  readonly heard: () => void;
  readonly onUsage?: SendCall['onUsage'];
}

/**
 * Streams an answer: passes on each piece and returns the whole message at the end, as the SDK assembled it. Pings and unknown
 * events are ignored.
 *
 * @throws {@link BrokenStreamError} when the stream ends before the message does; any other error of the SDK; any error of
 *   `onDelta`.
 */
export async function streamMessage(
  client: Anthropic,
  body: Anthropic.MessageCreateParamsNonStreaming,
  plan: Pick<RequestPlan, 'names' | 'answer'>,
  { signal, timeoutMs, onDelta, heard, onUsage }: StreamCall,
): Promise<Anthropic.Message> {
  const deltas = new DeltaReader(plan, onDelta);
  const usage = new StreamedUsage();
  let thrownByCaller: { readonly error: unknown } | undefined;
  const stream = client.messages.stream(body, { signal, timeout: timeoutMs });
  stream.on('streamEvent', (event) => {
    heard();
    try {
      const counted = usage.read(event);
      if (counted !== undefined) onUsage?.(counted.usage, counted);
      deltas.read(event);
    } catch (error) {
      thrownByCaller ??= { error };
      stream.abort();
    }
  });
  let whole: Anthropic.Message | undefined;
  stream.on('message', (message) => (whole = message));
  try {
    return await stream.finalMessage();
  } catch (thrown) {
    if (thrownByCaller !== undefined) throw thrownByCaller.error;
    signal.throwIfAborted();
    // A failure after the end of the answer does not affect the answer.
    if (whole !== undefined) return whole;
    const { statusCode, body: said, isConnection } = readHttpFailure(thrown);
    if (statusCode !== undefined || said !== undefined || isConnection) throw thrown;
    throw stream.response === undefined ? thrown : new BrokenStreamError(thrown);
  }
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
