import type { Event, Message } from '@palimpsest/events';
import { ContextWindowExceededError, MalformedHistoryError } from '@palimpsest/llm-adapters';
import type { Completion, CompletionRequest } from '@palimpsest/llm-adapters';
import { untilAborted, View } from '@palimpsest/view';
import type { AgentRequest, RenderOptions } from '@palimpsest/view';
import type { AgentParts } from '../agent-options.js';
import { messageOf } from '../errors.js';
import type { Instrumentation, ModelCallWork } from '../instrumentation.js';
import { thinkingOff } from '../state.js';
import type { Step } from '../step.js';
import { cacheDriftEvent } from './cache-watch.js';
import { composedMessages } from './composition.js';
import { refusalIn } from './received-calls.js';
import { brokenResponse, interruptedAnswer, StreamedAnswer } from './streamed-answer.js';

export interface ModelAnswer {
  readonly completion: Completion;
  /** The maximum length that the answer was asked for with. Unit: tokens. Undefined: the adapter's. */
  readonly maxOutputTokens: number | undefined;
  /** Events that stand before those of the answer. */
  readonly records: readonly Event[];
}

/**
 * Calls the model with a view, and passes its answer on as it comes. An answer that is a refusal is emitted as a `broken-response`
 * with its calls, which no model reads. Pieces that were shown and never became complete are emitted: as a message of the model when
 * the user interrupted it, else as a `broken-response`.
 *
 * @throws {@link ContentPolicyError} when the answer is a refusal.
 * @throws {@link ContextWindowExceededError} or {@link MalformedHistoryError} when a second request does not help.
 * @throws what the adapter throws.
 */
export async function callModel(view: View, step: Step): Promise<ModelAnswer> {
  const { llm, createEvent } = step.agent;
  const answer = await streamedAnswer(view, step);
  const refusal = refusalIn(answer.completion, llm.model, createEvent);
  if (refusal === undefined) return answer;
  const { piece, error } = refusal;
  await step.emit(...answer.records, ...brokenResponse(piece, error.message, answer.completion, step));
  throw error;
}

async function streamedAnswer(view: View, step: Step): Promise<ModelAnswer> {
  const { onDelta, signal } = step.options;
  if (onDelta === undefined) return requestAnswer(view, undefined, step);
  const streamed = new StreamedAnswer(onDelta, step);
  try {
    return await requestAnswer(view, streamed, step);
  } catch (error) {
    await streamed.end();
    if (signal?.aborted === true) await step.emit(...interruptedAnswer(streamed, messageOf(signal.reason), view, step));
    throw error;
  } finally {
    await streamed.end();
  }
}

/**
 * Calls the model, and once more when a second request can help. If the history fits and the requested output does not, the
 * second has a lower maximum of output tokens. If the provider reports a malformed history, it is made without thinking, from a
 * view built anew. Records both. After the latter, thinking stays off.
 */
async function requestAnswer(view: View, streamed: StreamedAnswer | undefined, step: Step): Promise<ModelAnswer> {
  const { agent, state, render, emit } = step;
  const { createEvent, maxOutputTokens } = agent;
  const messages = messagesOf(view, render, step);
  try {
    return await sendRequest(messages, { view, maxOutputTokens, streamed }, step);
  } catch (error) {
    if (ContextWindowExceededError.isInstance(error)) {
      const lower = loweredOutput(error, agent);
      if (lower === undefined) throw error;
      await emit(createEvent('conversation-state-update', { key: 'output-tokens-lowered', value: lower }));
      return await sendRequest(messages, { view, maxOutputTokens: lower, streamed }, step);
    }
    if (!MalformedHistoryError.isInstance(error)) throw error;
    const plain: RenderOptions = { ...render, thinking: 'none' };
    const sent = JSON.stringify(messages);
    const rendered = [view, View.fromEvents(state.log)].map((one) => messagesOf(one, plain, step));
    const other = rendered.find((one) => JSON.stringify(one) !== sent);
    if (other === undefined) throw error;
    const { records, ...answer } = await sendRequest(other, { view, maxOutputTokens, streamed }, step);
    return { ...answer, records: [thinkingOff(error.message, createEvent), ...records] };
  }
}

/** Builds the request that would be sent with a view, for a condenser that asks behind it. */
export function agentRequest(view: View, step: Step): AgentRequest {
  const { llm, maxOutputTokens } = step.agent;
  const { request } = buildRequest(messagesOf(view, step.render, step), maxOutputTokens, step);
  return { model: llm.model, ...request };
}

function messagesOf(view: View, render: RenderOptions, { messagesInForce, state }: Step): readonly Message[] {
  return composedMessages(view, { inForce: messagesInForce, log: state.log, render });
}

function buildRequest(messages: readonly Message[], maxOutputTokens: number | undefined, step: Step) {
  const { agent, state, render, options } = step;
  const prompt = agent.sentPrompts.toSend(messages, state.log, render);
  const { conversationId } = state;
  const tools = options.secrets?.tools(agent.toolDefinitions) ?? agent.toolDefinitions;
  const request = {
    messages,
    ...(tools.length === 0 ? {} : { tools }),
    maxOutputTokens,
    ...(conversationId === undefined ? {} : { cache: { key: conversationId, ...prompt.cache } }),
  };
  return { prompt, request };
}

interface RequestOptions {
  readonly view: View;
  readonly maxOutputTokens: number | undefined;
  /** The answer as it is streamed to a listener. Undefined if nobody listens. */
  readonly streamed: StreamedAnswer | undefined;
}

async function sendRequest(
  messages: readonly Message[],
  { view, maxOutputTokens, streamed }: RequestOptions,
  step: Step,
): Promise<ModelAnswer> {
  const { llm, instrumentation, sentPrompts, cacheWatch, onCacheDrift, createEvent } = step.agent;
  const { log, conversationId } = step.state;
  const { signal, secrets } = step.options;
  const { prompt, request } = buildRequest(messages, maxOutputTokens, step);
  const listeners = streamed === undefined ? {} : { onDelta: streamed.onDelta, onUsage: streamed.onUsage };
  const about = { llm, purpose: 'agent', conversationId, secrets, signal };
  try {
    const completion = await observedCompletion({ ...request, ...listeners, signal }, about, instrumentation);
    sentPrompts.answered(prompt, log);
    const drift = cacheWatch.answered({ llm, view, log, prompt, tools: request.tools ?? [], completion });
    if (drift !== undefined) onCacheDrift?.(drift);
    const records = drift === undefined ? [] : [cacheDriftEvent(drift, createEvent)];
    return { completion, maxOutputTokens, records };
  } catch (error) {
    // After an interrupt the shown part is kept. After a lost connection the model answers anew, or not at all.
    if (signal?.aborted !== true) streamed?.breakOff(messageOf(error));
    throw error;
  }
}

/** Sends a request, and waits until the model answers or the signal is aborted. */
export function observedCompletion(
  request: CompletionRequest,
  about: ModelCallWork,
  instrumentation: Instrumentation | undefined,
): Promise<Completion> {
  const send = (observed: CompletionRequest) => untilAborted(about.llm.complete(observed), about.signal);
  return instrumentation === undefined ? send(request) : instrumentation.modelCall(about, request, send);
}

/** A lower maximum is not worth a request. Unit: tokens. */
const leastOutputTokens = 512;

/** Reserved when the output is lowered, because providers count more than the messages. Unit: tokens. */
const margin = 64;

/**
 * Returns the output tokens that are left. Undefined when the output is not the cause, or too few are left. A limit that the
 * adapter set by itself is taken for the model's own.
 */
function loweredOutput(
  error: ContextWindowExceededError,
  { llm, maxOutputTokens }: Pick<AgentParts, 'llm' | 'maxOutputTokens'>,
): number | undefined {
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
