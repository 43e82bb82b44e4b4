import { context, isSpanContextValid, metrics, SpanKind, trace } from '@opentelemetry/api';
import type {
  Attributes,
  Context,
  Link,
  MeterProvider,
  Span,
  SpanContext,
  SpanOptions,
  TracerProvider,
} from '@opentelemetry/api';
import type { LLM } from '@palimpsest/llm-adapters';
import type { RunOutcome } from '../outcome.js';
import type { EarlierRun, Instrumentation, RunWork } from '../instrumentation.js';
import { BackgroundCondensations, observedCondensation } from './condensation.js';
import type { OpenTelemetryOptions } from './options.js';
import { observedModelCall } from './model-call.js';
import { idOf, Measures, names, secondsSince, surroundingsOf, tellFailure, within } from './span.js';
import type { RunTally, Telemetry } from './span.js';
import { observedTool } from './tool-call.js';

/** The instrumentation over the API: see `openTelemetry`, which loads this file. */
export function telemetryOver(options: OpenTelemetryOptions): Instrumentation {
  const { agentName, content = false, providerName = providerOf } = options;
  const scope = '@palimpsest/agent';
  // Their types are the API's own: `openTelemetry` says them in a way in which nobody needs the API to read them.
  const { tracerProvider = trace, meterProvider = metrics } = options;
  const tracer = (tracerProvider as TracerProvider).getTracer(scope);
  const measures = new Measures((meterProvider as MeterProvider).getMeter(scope));
  const telemetry: Telemetry = { tracer, measures, content, providerName };
  const background = new BackgroundCondensations();
  const named = agentName === undefined ? {} : { [names.agentName]: agentName };
  return {
    run: (about, work) => {
      const attributes = { ...named, [names.operation]: 'invoke_agent', [names.requestModel]: about.model };
      const name = agentName === undefined ? 'invoke_agent' : `invoke_agent ${agentName}`;
      return observedRun(about, work, { name, attributes, measured: named, telemetry });
    },
    step: async (about, work) => {
      const { conversationId } = { ...surroundingsOf(context.active()), ...about };
      const span = tracer.startSpan('step', { attributes: idOf(conversationId) });
      const around = within(trace.setSpan(context.active(), span), { conversationId });
      return observed(span, around, about.signal, work, (outcome) => {
        span.setAttribute(names.stepOutcome, outcome.type);
      });
    },
    traceparent: () => {
      const around = trace.getSpanContext(context.active());
      return around === undefined ? undefined : traceparentOf(around);
    },
    modelCall: (about, request, work) => observedModelCall(about, request, work, telemetry),
    tool: (about, work) => observedTool(about, work, telemetry),
    condensation: (about, work) => observedCondensation(about, work, { tracer, background }),
  };
}

/** A compatible server speaks OpenAI's protocol, and the model client does not know whose it is. */
function providerOf({ facts }: LLM): string {
  if (facts === undefined) return '_OTHER';
  return facts.provider === 'anthropic' ? 'anthropic' : 'openai';
}

/** Runs work inside a span, and ends the span with it. */
async function observed<Result>(
  span: Span,
  around: Context,
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
  tell: (result: Result) => void,
): Promise<Result> {
  try {
    const result = await context.with(around, work);
    tell(result);
    return result;
  } catch (error) {
    tellFailure(span, error, signal);
    throw error;
  } finally {
    span.end();
  }
}

interface RunOptions {
  readonly name: string;
  readonly attributes: Attributes;
  readonly measured: Attributes;
  readonly telemetry: Telemetry;
}

/** Observes a run: its span, what its model calls add up to, and the metrics of an agent. */
export async function observedRun(
  { conversationId, earlier, requestedBy, signal }: RunWork,
  work: (traceparent?: string) => Promise<RunOutcome>,
  { name, attributes, measured, telemetry: { tracer, measures } }: RunOptions,
): Promise<RunOutcome> {
  const start = performance.now();
  const links = [
    earlier === undefined ? undefined : linkTo(earlier),
    ...(requestedBy ?? []).map((traceparent) => linkToRequest(traceparent, conversationId)),
  ].filter((link) => link !== undefined);
  const options: SpanOptions = {
    kind: SpanKind.INTERNAL,
    attributes: { ...attributes, ...idOf(conversationId) },
    links,
    // Links, and no parent: several requests may be served by one run, long afterwards, and a runner starts it wherever it has a free place.
    root: requestedBy !== undefined,
  };
  const span = tracer.startSpan(name, options);
  const tally: RunTally = { inferenceCalls: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0, costUsd: undefined };
  const around = within(trace.setSpan(context.active(), span), { conversationId, tally });
  let errorType: string | undefined;
  const tell = (outcome: RunOutcome): void => {
    span.setAttributes({
      [names.runOutcome]: outcome.status,
      [names.iterations]: outcome.iterations,
      [names.condensations]: outcome.condensations,
      [names.waitingActions]: outcome.waiting?.length,
      [names.stuckPattern]: outcome.stuck,
      ...(signal?.aborted === true ? { [names.interrupted]: true } : {}),
    });
  };
  try {
    const traceparent = traceparentOf(span.spanContext());
    const outcome = await context.with(around, () => work(traceparent));
    tell(outcome);
    return outcome;
  } catch (error) {
    // A run that was interrupted resolves; an error is one, whatever the signal says.
    ({ errorType } = tellFailure(span, error, undefined));
    throw error;
  } finally {
    const failed = errorType === undefined ? measured : { ...measured, [names.errorType]: errorType };
    measures.run.record(secondsSince(start), failed, around);
    measures.inferenceCalls.record(tally.inferenceCalls, measured, around);
    measures.toolCalls.record(tally.toolCalls, measured, around);
    span.setAttributes({
      [names.inputTokens]: tally.inputTokens,
      [names.outputTokens]: tally.outputTokens,
      [names.cost]: tally.costUsd,
    });
    span.end();
  }
}

/**
 * A span's address as W3C Trace Context writes it; undefined without an SDK.
 *
 * @see https://www.w3.org/TR/trace-context/#traceparent-header
 */
export function traceparentOf(span: SpanContext): string | undefined {
  if (!isSpanContextValid(span)) return undefined;
  const flags = (span.traceFlags & 0xff).toString(16).padStart(2, '0');
  return `00-${span.traceId}-${span.spanId}-${flags}`;
}

/** A link to the run before. Undefined if the log holds no address that can be one: others may write to it. */
export function linkTo({ traceparent, conversationId, status }: EarlierRun): Link | undefined {
  const context = spanContextOf(traceparent);
  if (context === undefined) return undefined;
  return { context, attributes: { [names.conversation]: conversationId, [names.earlierStatus]: status } };
}

/**
 * A link to whoever asked for a run. Undefined if it can be no address.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/ which links the work on a message to its sender
 */
export function linkToRequest(traceparent: string, conversationId: string): Link | undefined {
  const context = spanContextOf(traceparent);
  if (context === undefined) return undefined;
  return { context, attributes: { [names.conversation]: conversationId, [names.linkType]: 'request' } };
}

function spanContextOf(traceparent: string): SpanContext | undefined {
  const found = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent);
  if (found === null) return undefined;
  const [, traceId = '', spanId = '', flags = ''] = found;
  const context: SpanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}
