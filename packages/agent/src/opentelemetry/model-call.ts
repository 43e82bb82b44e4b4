import { SpanKind, context, trace } from '@opentelemetry/api';
import type { Attributes, Span } from '@opentelemetry/api';
import type { Completion, CompletionRequest } from '@palimpsest/llm-adapters';
import type { ModelCallWork } from '../instrumentation.js';
import { costOf } from '../model/call-cost.js';
import { contentOfAnswer, contentOfRequest, finishReasonOf } from './content.js';
import { errorTypeOf, tellFailure } from './ended-span.js';
import { inputTokens } from './measures.js';
import { names } from './names.js';
import { surroundingsOf, within } from './surroundings.js';
import type { RunTally } from './surroundings.js';
import { idOf, secondsSince } from './telemetry.js';
import type { Telemetry } from './telemetry.js';

/** Observes one call of a model: a `chat` span over all of its tries, and the metrics of the call. */
export async function observedModelCall(
  about: ModelCallWork,
  request: CompletionRequest,
  work: (request: CompletionRequest) => Promise<Completion>,
  { tracer, measures, content, providerName }: Telemetry,
): Promise<Completion> {
  const active = context.active();
  const surroundings = surroundingsOf(active);
  if (surroundings.isModelCall === true) return work(request);
  const start = performance.now();
  const { llm, purpose, secrets, signal } = about;
  const { condensation, tally } = surroundings;
  const parent = condensation?.inside(active) ?? active;
  const base = {
    [names.operation]: 'chat',
    [names.provider]: providerName(llm),
    [names.requestModel]: llm.model,
  };
  const attributes: Attributes = {
    ...base,
    ...idOf(about.conversationId ?? surroundings.conversationId),
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
    const completion = await context.with(around, () => work(told(request, span, firstChunk)));
    measured = { ...base, [names.responseModel]: completion.model };
    span.setAttributes(attributesOf(completion));
    if (content) span.setAttributes(contentOfAnswer(completion, secrets));
    if (tally !== undefined) addTo(tally, completion);
    if (completion.usageIsEstimated !== true) measures.usage(completion.usage, measured);
    return completion;
  } catch (error) {
    const { errorType } = tellFailure(span, error, signal);
    if (errorType !== undefined) measured = { ...base, [names.errorType]: errorType };
    throw error;
  } finally {
    if (condensation !== undefined) condensation.openCalls--;
    measures.inference.record(secondsSince(start), measured, around);
    span.end();
  }
}

/** The request, with ears for what happens to it: waits, retries, a stream that begins, and one that begins anew. */
function told(request: CompletionRequest, span: Span, firstChunk: () => void): CompletionRequest {
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
