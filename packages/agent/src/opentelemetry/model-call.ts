import { context, SpanKind, trace } from '@opentelemetry/api';
import type { Attributes, Span } from '@opentelemetry/api';
import type { ContentPart, Message } from '@palimpsest/events';
import type { Completion, CompletionRequest } from '@palimpsest/llm-adapters';
import type { ModelCallWork } from '../instrumentation.js';
import { costOf } from '../model/call-cost.js';
import type { SecretMask } from '../secrets/mask.js';
import { errorTypeOf, idOf, inputTokens, names, secondsSince, spanContext, recordFailure, within } from './span.js';
import type { RunTally, Telemetry } from './span.js';

/** Observes one call of a model: a `chat` span over all of its tries, and the metrics of the call. */
export async function observedModelCall(
  about: ModelCallWork,
  request: CompletionRequest,
  work: (request: CompletionRequest) => Promise<Completion>,
  { tracer, measures, content, providerName }: Telemetry,
): Promise<Completion> {
  const active = context.active();
  const outer = spanContext(active);
  if (outer.isModelCall === true) return work(request);
  const start = performance.now();
  const { llm, purpose, secrets, signal } = about;
  const { condensation, tally } = outer;
  const parent = condensation?.inside(active) ?? active;
  const base = {
    [names.operation]: 'chat',
    [names.provider]: providerName(llm),
    [names.requestModel]: llm.model,
  };
  const attributes: Attributes = {
    ...base,
    ...idOf(about.conversationId ?? outer.conversationId),
    [names.purpose]: purpose,
    [names.requestMaxTokens]: request.maxOutputTokens,
    ...(request.onDelta === undefined ? {} : { [names.requestStream]: true }),
    ...(request.responseFormat === undefined ? {} : { [names.outputType]: 'json' }),
    ...(content ? contentOfRequest(request, secrets) : {}),
  };
  const span = tracer.startSpan(`chat ${llm.model}`, { kind: SpanKind.CLIENT, attributes }, parent);
  const around = within(trace.setSpan(parent, span), { isModelCall: true });
  let measured: Attributes = base;
  if (tally !== undefined) tally.inferenceCalls++;
  if (condensation !== undefined) condensation.openCalls++;
  const firstChunk = () => {
    const seconds = secondsSince(start);
    span.setAttribute(names.timeToFirstChunk, seconds);
    measures.firstChunk.record(seconds, base, around);
  };
  try {
    const completion = await context.with(around, () => work(withSpanEvents(request, span, firstChunk)));
    measured = { ...base, [names.responseModel]: completion.model };
    span.setAttributes(attributesOf(completion));
    if (content) span.setAttributes(contentOfAnswer(completion, secrets));
    if (tally !== undefined) addTo(tally, completion);
    if (completion.usageIsEstimated !== true) measures.usage(completion.usage, measured);
    return completion;
  } catch (error) {
    const { errorType } = recordFailure(span, error, signal);
    if (errorType !== undefined) measured = { ...base, [names.errorType]: errorType };
    throw error;
  } finally {
    if (condensation !== undefined) condensation.openCalls--;
    measures.inference.record(secondsSince(start), measured, around);
    span.end();
  }
}

/** Adds listeners to a request, for waits, retries, a stream that begins, and one that begins anew. */
function withSpanEvents(request: CompletionRequest, span: Span, firstChunk: () => void): CompletionRequest {
  const { onDelta, onRetry, onWait } = request;
  let hasBegun = false;
  return {
    ...request,
    onRetry: (failure) => {
      span.addEvent(names.retry, {
        [names.retryAttempt]: failure.attempt,
        [names.retryDelay]: failure.delayMs,
        [names.errorType]: errorTypeOf(failure.error),
      });
      // The next try may wait for what it returns.
      return onRetry?.(failure);
    },
    onWait: (wait) => {
      span.addEvent(names.rateWait, { [names.rateWaitMs]: wait.waitMs, [names.rateWaitAhead]: wait.ahead });
      onWait?.(wait);
    },
    // A request that has no listener is not streamed.
    ...(onDelta === undefined
      ? {}
      : {
          onDelta: (delta) => {
            if (delta.type === 'restart') span.addEvent(names.restart);
            else if (!hasBegun) firstChunk();
            hasBegun ||= delta.type !== 'restart';
            onDelta(delta);
          },
        }),
  };
}

function attributesOf(completion: Completion): Attributes {
  const { usage, model, providerResponseId, finishReason, usageIsEstimated } = completion;
  return {
    [names.responseModel]: model,
    [names.responseId]: providerResponseId,
    [names.finishReasons]: [finishReasonOf(finishReason)],
    [names.inputTokens]: inputTokens(usage),
    [names.outputTokens]: usage.outputTokens,
    [names.cacheReadTokens]: usage.cacheReadTokens,
    [names.cacheWriteTokens]: usage.cacheWriteTokens,
    [names.reasoningTokens]: usage.reasoningTokens,
    [names.cost]: costOf(completion).costUsd,
    ...(usageIsEstimated === true ? { [names.usageIsEstimated]: true } : {}),
  };
}

function addTo(tally: RunTally, completion: Completion): void {
  const { costUsd } = costOf(completion);
  tally.inputTokens += inputTokens(completion.usage);
  tally.outputTokens += completion.usage.outputTokens;
  if (costUsd !== undefined) tally.costUsd = (tally.costUsd ?? 0) + costUsd;
}

/** Returns the content of a request, in the form of the specification's JSON schemas. */
function contentOfRequest({ messages, tools = [] }: CompletionRequest, secrets?: SecretMask): Attributes {
  const instructions = messages.filter(({ role }) => role === 'system').flatMap(({ content }) => partsOf(content));
  const history = messages.filter(({ role }) => role !== 'system').map(messageOf);
  const definitions = tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    parameters: inputSchema,
  }));
  return {
    ...(instructions.length === 0 ? {} : { [names.systemInstructions]: jsonOf(instructions, secrets) }),
    [names.inputMessages]: jsonOf(history, secrets),
    ...(definitions.length === 0 ? {} : { [names.toolDefinitions]: jsonOf(definitions, secrets) }),
  };
}

function contentOfAnswer({ message, finishReason }: Completion, secrets?: SecretMask): Attributes {
  const answer = { ...messageOf(message), finish_reason: finishReasonOf(finishReason) };
  return { [names.outputMessages]: jsonOf([answer], secrets) };
}

/** Returns the specification's word for the end of an answer. */
function finishReasonOf(reason: Completion['finishReason']): string {
  return { 'tool-calls': 'tool_call', 'content-filter': 'content_filter' }[reason as string] ?? reason;
}

/** Returns a value as JSON, its secrets masked. Never throws: a tool's input or output may be any value. */
export function jsonOf(value: unknown, secrets?: SecretMask): string {
  try {
    // Only what is JSON can be masked and shown.
    const plain = JSON.parse(JSON.stringify(value) ?? 'null') as unknown;
    return JSON.stringify(secrets?.data(plain) ?? plain);
  } catch {
    return '"[not JSON]"';
  }
}

function messageOf(message: Message) {
  if (message.role === 'tool') {
    const response = partsOf(message.content);
    return { role: 'tool', parts: [{ type: 'tool_call_response', id: message.toolCallId, response }] };
  }
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  const asked = calls.map(({ id, name, arguments: given }) => ({
    type: 'tool_call',
    id,
    name,
    arguments: parsed(given),
  }));
  return { role: message.role, parts: [...partsOf(message.content), ...asked] };
}

function partsOf(content: readonly ContentPart[]) {
  return content.map((part) => (part.type === 'text' ? { type: 'text', content: part.text } : { type: part.type }));
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
