import type { CreateEvent, Event, Message, ToolDefinition } from '@palimpsest/events';
import { ContextWindowExceededError, MalformedHistoryError, totalInputTokens } from '@palimpsest/llm-adapters';
import type { Completion, CompletionRequest, LLM } from '@palimpsest/llm-adapters';
import { untilAborted, View } from '@palimpsest/view';
import type { AgentRequest, RenderOptions } from '@palimpsest/view';
import { messageOf } from '../errors.js';
import type { Instrumentation, ModelCallWork } from '../instrumentation.js';
import type { SecretMask } from '../secrets/mask.js';
import { thinkingOff } from '../state.js';
import type { StandingWords } from '../state.js';
import { newIdFrom } from '../step.js';
import type { Emit, StepContext } from '../step.js';
import { cacheDriftEvent } from './cache-watch.js';
import type { CacheDriftReport, CacheWatch } from './cache-watch.js';
import { composedMessages } from './composition.js';
import type { SentPrompts } from './sent-prompts.js';
import { brokenResponse, cutOffAnswer, cutOffUsage, refusalIn, StreamedAnswer } from './streamed-answer.js';
import type { AskedModel } from './streamed-answer.js';

/**
 * Calls the model with a view. An answer that is a refusal is emitted as a `broken-response` with its calls, which no model reads.
 *
 * @throws {@link ContentPolicyError} when the answer is a refusal; what the adapter throws.
 */
export async function askModel(view: View, words: StandingWords, step: StepContext): Promise<ModelAnswer> {
  const { tools, createEvent, emit } = step;
  const { model, prices } = step.options.llm;
  const asked: AskedModel = {
    model,
    prices,
    tools,
    estimatedInputTokens: view.tokens(),
    // Read after an interrupt alone.
    get lastInputTokens() {
      return lastInputOf(view, model);
    },
    createEvent,
  };
  const answer = await streamedAnswer(view, words, asked, step);
  const { completion, records } = answer;
  const refusal = refusalIn(completion, model, createEvent);
  if (refusal === undefined) return answer;
  await emit(...records, ...brokenResponse(refusal.piece, refusal.error.message, completion, asked));
  throw refusal.error;
}

/**
 * Calls the model, and passes its answer on as it comes. Pieces that were shown and never became complete are emitted: as a message of
 * the model when the user interrupted it, else as a `broken-response`.
 */
async function streamedAnswer(
  view: View,
  words: StandingWords,
  asked: AskedModel,
  step: StepContext,
): Promise<ModelAnswer> {
  const { createEvent, emit, onDelta, secrets, cacheWatch, signal } = step;
  const streamed =
    onDelta === undefined
      ? undefined
      : new StreamedAnswer({ onDelta, emit, secrets, broken: (...piece) => brokenResponse(...piece, asked) });
  try {
    const { onCacheDrift, instrumentation } = step.options;
    const watch = { cacheWatch, onCacheDrift, instrumentation, secrets };
    return await requestAnswer({ ...requestParts(words, step), ...watch, view, streamed, createEvent, emit, signal });
  } catch (error) {
    await streamed?.end();
    if (signal?.aborted === true && streamed !== undefined) {
      const { counted } = streamed;
      const shown = streamed.piece();
      if (shown !== undefined) await emit(...cutOffAnswer(shown, messageOf(signal.reason), counted, asked));
      else if (counted !== undefined) await emit(cutOffUsage(counted, newIdFrom(createEvent), asked));
    }
    throw error;
  } finally {
    await streamed?.end();
  }
}

/** The input of the model's newest answer. 0 without one. Unit: tokens. */
function lastInputOf({ internalEvents }: View, model: string): number {
  for (let index = internalEvents.length - 1; index >= 0; index--) {
    const event = internalEvents.at(index);
    if (event?.type !== 'llm-usage' || event.purpose !== 'agent') continue;
    return event.model === model ? totalInputTokens(event.usage) : 0;
  }
  return 0;
}

/** What a request of this step is made of, whether the agent or its condenser sends it. */
export function requestParts(words: StandingWords, step: StepContext): RequestParts {
  const { toolDefinitions, secrets, state, render, sentPrompts } = step;
  const { llm, maxOutputTokens } = step.options;
  return {
    llm,
    words,
    log: state.log,
    render,
    tools: secrets?.tools(toolDefinitions) ?? toolDefinitions,
    maxOutputTokens,
    cacheKey: state.conversationId,
    sentPrompts,
  };
}

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
const outputMargin = 64;

/**
 * Calls the model, and once more when a second request can help: with a lower maximum of output tokens when the history fits
 * and the requested output does not; without thinking and from a view built anew when the provider reports a malformed
 * history. Records both. After the latter, thinking stays off.
 *
 * @throws {@link ContextWindowExceededError} or {@link MalformedHistoryError} when the second request does not help; what the
 *   adapter throws.
 */
export async function requestAnswer(call: ModelCall): Promise<ModelAnswer> {
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
  if (window !== undefined && inputTokens !== undefined) left = window - inputTokens - outputMargin;
  else if (window !== undefined && requestedTokens !== undefined && most !== undefined)
    left = most - (requestedTokens - window) - outputMargin;
  const isLower = maxOutputTokens === undefined || left < maxOutputTokens;
  return left >= leastOutputTokens && isLower ? left : undefined;
}
