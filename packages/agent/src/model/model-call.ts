import type { CreateEvent, Event, ToolDefinition } from '@palimpsest/events';
import { ContextWindowExceededError, MalformedHistoryError } from '@palimpsest/llm-adapters';
import type { Completion, LLM } from '@palimpsest/llm-adapters';
import { View } from '@palimpsest/view';
import type { RenderOptions } from '@palimpsest/view';
import { abortable } from '../abortable.js';
import { composedMessages } from './composition.js';
import { messageOf } from '../errors.js';
import type { Emit } from '../step/event-sink.js';
import type { SentPrompts } from './sent-prompts.js';
import type { StandingWords } from './standing-words.js';
import type { StreamedAnswer } from './streamed-answer.js';
import { thinkingOff } from './thinking-off.js';

/** What a model call needs. */
export interface ModelCall {
  readonly llm: LLM;
  readonly view: View;
  /** What the request holds, whatever the view shows. */
  readonly words: StandingWords;
  /** The whole log, for a view that nobody has touched. */
  readonly log: Iterable<Event>;
  readonly render: RenderOptions;
  readonly tools: readonly ToolDefinition[];
  /** The answer on its way to a listener. Undefined: nobody listens, and the answer comes whole. */
  readonly streamed: StreamedAnswer | undefined;
  readonly maxOutputTokens: number | undefined;
  /** Names the conversation to the provider's cache. */
  readonly cacheKey: string | undefined;
  readonly sentPrompts: SentPrompts;
  readonly createEvent: CreateEvent;
  readonly emit: Emit;
  readonly signal: AbortSignal | undefined;
}

/** An answer of the model. */
export interface ModelAnswer {
  readonly completion: Completion;
  /** Events that stand before those of the answer. */
  readonly records: readonly Event[];
}

/** An answer is not worth asking for with less. Unit: tokens. */
const leastOutputTokens = 512;

/** Left free when the output is lowered, because providers count what we do not see. Unit: tokens. */
const margin = 64;

/**
 * Calls the model, and once more where that can help: with a shorter answer when the history fits and the answer asked for
 * does not; without thinking, from a view built anew, when the provider says that the history is malformed. What was done
 * is on record, and thinking stays off from then on.
 *
 * @throws {@link ContextWindowExceededError}, {@link MalformedHistoryError} when it helped nothing; what the adapter throws.
 */
export async function callModel(call: ModelCall): Promise<ModelAnswer> {
  const { view, render, createEvent, emit } = call;
  const messages = composedMessages(view, call);
  try {
    return { completion: await complete(call, messages, call.maxOutputTokens), records: [] };
  } catch (error) {
    if (ContextWindowExceededError.isInstance(error)) {
      const lower = loweredOutput(error, call);
      if (lower === undefined) throw error;
      await emit(createEvent('conversation-state-update', { key: 'output-tokens-lowered', value: lower }));
      return { completion: await complete(call, messages, lower), records: [] };
    }
    if (!MalformedHistoryError.isInstance(error)) throw error;
    const plain: RenderOptions = { ...render, thinking: 'none' };
    const sent = JSON.stringify(messages);
    const rendered = [view, View.fromEvents(call.log)].map((one) => composedMessages(one, { ...call, render: plain }));
    const other = rendered.find((one) => JSON.stringify(one) !== sent);
    if (other === undefined) throw error;
    const completion = await complete(call, other, call.maxOutputTokens);
    return { completion, records: [thinkingOff(error.message, createEvent)] };
  }
}

async function complete(
  call: ModelCall,
  messages: ReturnType<View['toMessages']>,
  maxOutputTokens: number | undefined,
): Promise<Completion> {
  const { llm, tools, cacheKey, streamed, signal, sentPrompts, log, render } = call;
  const prompt = sentPrompts.toSend(messages, log, render);
  try {
    const asked = llm.complete({
      messages,
      ...(tools.length === 0 ? {} : { tools }),
      maxOutputTokens,
      ...(cacheKey === undefined ? {} : { cache: { key: cacheKey, ...prompt.cache } }),
      ...(streamed === undefined ? {} : { onDelta: streamed.onDelta, onUsage: streamed.onUsage }),
      signal,
    });
    const completion = await abortable(asked, signal);
    sentPrompts.answered(prompt, log);
    return completion;
  } catch (error) {
    // Who interrupts has read what was shown; who loses a connection reads another answer, or none.
    if (signal?.aborted !== true) streamed?.breakOff(messageOf(error));
    throw error;
  }
}

/** What is left for the answer; undefined where the answer is not to blame, or too little is left. */
function loweredOutput(error: ContextWindowExceededError, { llm, maxOutputTokens }: ModelCall): number | undefined {
  if (error.kind !== 'input-and-output') return undefined;
  const window = error.contextWindow ?? llm.contextWindow;
  const left =
    window !== undefined && error.inputTokens !== undefined
      ? window - error.inputTokens - margin
      : Math.floor((maxOutputTokens ?? 0) / 4);
  const isLower = maxOutputTokens === undefined || left < maxOutputTokens;
  return left >= leastOutputTokens && isLower ? left : undefined;
}
