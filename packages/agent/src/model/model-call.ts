import type { CreateEvent, Event, Message, ToolDefinition } from '@palimpsest/events';
import { ContextWindowExceededError, MalformedHistoryError } from '@palimpsest/llm-adapters';
import type { Completion, CompletionRequest, LLM } from '@palimpsest/llm-adapters';
import { untilAborted, View } from '@palimpsest/view';
import type { AgentRequest, RenderOptions } from '@palimpsest/view';
import { composedMessages } from './composition.js';
import { messageOf } from '../errors.js';
import type { Emit } from '../event-sink.js';
import type { Instrumentation, ModelCallWork } from '../instrumentation.js';
import type { SecretMask } from '../secrets/mask.js';
import { cacheDriftEvent } from './cache-watch.js';
import type { CacheDriftReport, CacheWatch } from './cache-watch.js';
import type { SentPrompts } from './sent-prompts.js';
import type { StandingWords } from './standing-words.js';
import type { StreamedAnswer } from './streamed-answer.js';
import { thinkingOff } from './thinking-off.js';

/** What a request to the model is made of, besides a view. */
export interface RequestParts {
  readonly llm: LLM;
  /** What the request holds, whatever the view shows. */
  readonly words: StandingWords;
  /** The whole log. A malformed history is built anew from it. */
  readonly log: Iterable<Event>;
  readonly render: RenderOptions;
  readonly tools: readonly ToolDefinition[];
  readonly maxOutputTokens: number | undefined;
  /** The conversation's key in the provider's cache. */
  readonly cacheKey: string | undefined;
  readonly sentPrompts: SentPrompts;
}

/** The parameters of a model call. */
export interface ModelCall extends RequestParts {
  readonly view: View;
  /** The answer as it is streamed to a listener. Undefined if nobody listens. */
  readonly streamed: StreamedAnswer | undefined;
  readonly cacheWatch: CacheWatch;
  readonly onCacheDrift: ((report: CacheDriftReport) => void) | undefined;
  readonly createEvent: CreateEvent;
  readonly emit: Emit;
  readonly instrumentation: Instrumentation | undefined;
  readonly secrets: SecretMask | undefined;
  readonly signal: AbortSignal | undefined;
}

/** An answer of the model. */
export interface ModelAnswer {
  readonly completion: Completion;
  /** The maximum length that the answer was asked for with. Unit: tokens. Undefined: the adapter's. */
  readonly maxOutputTokens: number | undefined;
  /** Events that stand before those of the answer. */
  readonly records: readonly Event[];
}

/** A lower maximum is not worth a request. Unit: tokens. */
const leastOutputTokens = 512;

/** Reserved when the output is lowered, because providers count more than the messages. Unit: tokens. */
const margin = 64;

/**
 * Calls the model, and once more when a second request can help: with a lower maximum of output tokens when the history fits
 * and the requested output does not; without thinking and from a view built anew when the provider reports a malformed
 * history. Records both. After the latter, thinking stays off.
 *
 * @throws {@link ContextWindowExceededError} or {@link MalformedHistoryError} when the second request does not help; what the
 *   adapter throws.
 */
export async function callModel(call: ModelCall): Promise<ModelAnswer> {
  const { view, render, createEvent, emit } = call;
  const messages = composedMessages(view, call);
  try {
    return await complete(call, messages, call.maxOutputTokens);
  } catch (error) {
    if (ContextWindowExceededError.isInstance(error)) {
      const lower = loweredOutput(error, call);
      if (lower === undefined) throw error;
      await emit(createEvent('conversation-state-update', { key: 'output-tokens-lowered', value: lower }));
      return await complete(call, messages, lower);
    }
    if (!MalformedHistoryError.isInstance(error)) throw error;
    const plain: RenderOptions = { ...render, thinking: 'none' };
    const sent = JSON.stringify(messages);
    const rendered = [view, View.fromEvents(call.log)].map((one) => composedMessages(one, { ...call, render: plain }));
    const other = rendered.find((one) => JSON.stringify(one) !== sent);
    if (other === undefined) throw error;
    const { records, ...answer } = await complete(call, other, call.maxOutputTokens);
    return { ...answer, records: [thinkingOff(error.message, createEvent), ...records] };
  }
}

/** The request that would be sent with a view, for a condenser that asks behind it. */
export function agentRequest(view: View, parts: RequestParts): AgentRequest {
  const { request } = requestWith(composedMessages(view, parts), parts);
  return { model: parts.llm.model, ...request };
}

function requestWith(messages: readonly Message[], parts: RequestParts) {
  const { tools, maxOutputTokens, cacheKey, sentPrompts, log, render } = parts;
  const prompt = sentPrompts.toSend(messages, log, render);
  const request = {
    messages,
    ...(tools.length === 0 ? {} : { tools }),
    maxOutputTokens,
    ...(cacheKey === undefined ? {} : { cache: { key: cacheKey, ...prompt.cache } }),
  };
  return { prompt, request };
}

async function complete(
  call: ModelCall,
  messages: readonly Message[],
  maxOutputTokens: number | undefined,
): Promise<ModelAnswer> {
  const { llm, tools, streamed, signal, sentPrompts, log } = call;
  const { prompt, request } = requestWith(messages, { ...call, maxOutputTokens });
  try {
    const completion = await observedCompletion(
      {
        ...request,
        ...(streamed === undefined ? {} : { onDelta: streamed.onDelta, onUsage: streamed.onUsage }),
        signal,
      },
      { ...call, conversationId: call.cacheKey, purpose: 'agent' },
    );
    sentPrompts.answered(prompt, log);
    const drift = call.cacheWatch.answered({ llm, view: call.view, log, prompt, tools, completion });
    if (drift !== undefined) call.onCacheDrift?.(drift);
    const records = drift === undefined ? [] : [cacheDriftEvent(drift, call.createEvent)];
    return { completion, maxOutputTokens, records };
  } catch (error) {
    // After an interrupt the shown part is kept. After a lost connection the model answers anew, or not at all.
    if (signal?.aborted !== true) streamed?.breakOff(messageOf(error));
    throw error;
  }
}

/** Asks the model, and waits until it answers or the signal is aborted. */
export function observedCompletion(
  request: CompletionRequest,
  { instrumentation, llm, purpose, conversationId, secrets, signal }: ObservedCall,
): Promise<Completion> {
  const ask = (observed: CompletionRequest) => untilAborted(llm.complete(observed), signal);
  if (instrumentation === undefined) return ask(request);
  return instrumentation.modelCall({ llm, purpose, conversationId, secrets, signal }, request, ask);
}

interface ObservedCall extends ModelCallWork {
  readonly instrumentation: Instrumentation | undefined;
}

/**
 * The output tokens that are left; undefined when the output is not the cause, or too few are left. A limit that the adapter set by itself
 * is taken for the model's own.
 */
function loweredOutput(error: ContextWindowExceededError, { llm, maxOutputTokens }: ModelCall): number | undefined {
  if (error.kind !== 'input-and-output') return undefined;
  const { inputTokens, requestedTokens, contextWindow: window = llm.contextWindow } = error;
  const most = maxOutputTokens ?? llm.facts?.maxOutputTokens;
  let left = Math.floor((most ?? 0) / 4);
  if (window !== undefined && inputTokens !== undefined) left = window - inputTokens - margin;
  else if (window !== undefined && requestedTokens !== undefined && most !== undefined)
    left = most - (requestedTokens - window) - margin;
  const isLower = maxOutputTokens === undefined || left < maxOutputTokens;
  return left >= leastOutputTokens && isLower ? left : undefined;
}
