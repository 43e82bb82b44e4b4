import { context, isSpanContextValid, metrics, SpanKind, trace } from '@opentelemetry/api';
import type { Attributes, Link, MeterProvider, SpanContext, TracerProvider } from '@opentelemetry/api';
import type { LLM } from '@palimpsest/llm-adapters';
import type { EarlierRun, Instrumentation, RunWork, Work } from '../instrumentation.js';
import type { RunOutcome, StepOutcome } from '../outcome.js';
import { BackgroundCondensations, observedCondensation } from './condensation.js';
import { observedModelCall } from './model-call.js';
import type { OpenTelemetryOptions } from './options.js';
import { begun, idOf, Measures, names, secondsSince, spanContext, recordFailure, within } from './span.js';
import type { RunTally, Telemetry } from './span.js';
import { observedTool } from './tool-call.js';

/** Makes the instrumentation over the API: see `openTelemetry`, which loads this file. */
export function telemetryOver(options: OpenTelemetryOptions): Instrumentation {
  const { agentName, content = false, providerName = providerOf } = options;
  const scope = '@palimpsest/agent';
  // Their types are the API's own: `openTelemetry` says them in a way in which nobody needs the API to read them.
  const { tracerProvider = trace, meterProvider = metrics } = options;
  const tracer = (tracerProvider as TracerProvider).getTracer(scope);
  const measures = new Measures((meterProvider as MeterProvider).getMeter(scope));
  const telemetry: Telemetry = { agentName, tracer, measures, content, providerName };
  const background = new BackgroundCondensations();
  return {
    run: (about, work) => observedRun(about, work, telemetry),
    step: (about, work) => observedStep(about, work, telemetry),
    traceparent: () => {
      const around = trace.getSpanContext(context.active());
      return around === undefined ? undefined : traceparentOf(around);
    },
    actionsLost: (_about, count) =>
      measures.lostActions.add(count, agentName === undefined ? {} : { [names.agentName]: agentName }),
    modelCall: (about, request, work) => observedModelCall(about, request, work, telemetry),
    tool: (about, work) => observedTool(about, work, telemetry),
    condensation: (about, work) => observedCondensation(about, work, telemetry, background),
  };
}

/** A compatible server speaks OpenAI's protocol, and the model client does not know whose it is. */
function providerOf({ facts }: LLM): string {
  if (facts === undefined) return '_OTHER';
  return facts.provider === 'anthropic' ? 'anthropic' : 'openai';
}

async function observedStep(
  about: Work,
  work: () => Promise<StepOutcome>,
  { tracer }: Telemetry,
): Promise<StepOutcome> {
  const active = context.active();
  const { conversationId, isOfRunner } = { ...spanContext(active), ...about };
  const attributes = idOf(conversationId);
  const beginning = isOfRunner === true ? begun('step', { attributes }, active, tracer) : undefined;
  const span = tracer.startSpan('step', { attributes }, beginning ?? active);
  try {
    const outcome = await context.with(within(beginning ?? trace.setSpan(active, span), { conversationId }), work);
    span.setAttribute(names.stepOutcome, outcome.type);
    return outcome;
  } catch (error) {
    recordFailure(span, error, about.signal);
    throw error;
  } finally {
    span.end();
  }
}

/** Observes a run: its span, what its model calls add up to, and the metrics of an agent. */
async function observedRun(
  { conversationId, model, earlier, requestedBy, signal }: RunWork,
  work: (traceparent?: string) => Promise<RunOutcome>,
  { agentName, tracer, measures }: Telemetry,
): Promise<RunOutcome> {
  const start = performance.now();
  const links = [
    earlier === undefined ? undefined : linkTo(earlier),
    ...(requestedBy ?? []).map((traceparent) => linkToRequest(traceparent, conversationId)),
  ].filter((link) => link !== undefined);
  const measured: Attributes = agentName === undefined ? {} : { [names.agentName]: agentName };
  const operation = { [names.operation]: 'invoke_agent', [names.requestModel]: model };
  const name = agentName === undefined ? 'invoke_agent' : `invoke_agent ${agentName}`;
  const attributes = { ...measured, ...operation, ...idOf(conversationId) };
  const isOfRunner = requestedBy !== undefined;
  // Links, and no parent: several requests may be served by one run, long afterwards, and a runner starts it wherever it has a free place.
  const root = { kind: SpanKind.INTERNAL, attributes, links, root: isOfRunner };
  const active = context.active();
  const beginning = isOfRunner ? begun(name, root, active, tracer) : undefined;
  const span = tracer.startSpan(name, { ...root, root: false }, beginning ?? active);
  const tally: RunTally = { inferenceCalls: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0, costUsd: undefined };
  const parent = beginning ?? trace.setSpan(active, span);
  const around = within(parent, { conversationId, tally, isOfRunner });
  if (earlier?.status === 'running') measures.takeovers.add(1, measured);
  let errorType: string | undefined;
  try {
    const address = trace.getSpanContext(parent);
    const traceparent = address === undefined ? undefined : traceparentOf(address);
    const outcome = await context.with(around, () => work(traceparent));
    span.setAttributes({
      [names.runOutcome]: outcome.status,
      [names.iterations]: outcome.iterations,
      [names.condensations]: outcome.condensations,
      [names.waitingActions]: outcome.waiting?.length,
      [names.stuckPattern]: outcome.stuck,
      ...(signal?.aborted === true ? { [names.interrupted]: true } : {}),
    });
    return outcome;
  } catch (error) {
    // A run that was interrupted resolves; an error is one, whatever the signal says.
    ({ errorType } = recordFailure(span, error, undefined));
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
 * Writes a span's address as W3C Trace Context does; undefined without an SDK.
 *
 * @see https://www.w3.org/TR/trace-context/#traceparent-header
 */
function traceparentOf(span: SpanContext): string | undefined {
  if (!isSpanContextValid(span)) return undefined;
  const flags = (span.traceFlags & 0xff).toString(16).padStart(2, '0');
  return `00-${span.traceId}-${span.spanId}-${flags}`;
}

/** Makes a link to the run before. Undefined if the log holds no address that can be one: others may write to it. */
function linkTo({ traceparent, conversationId, status }: EarlierRun): Link | undefined {
  const context = parseTraceparent(traceparent);
  if (context === undefined) return undefined;
  return { context, attributes: { [names.conversation]: conversationId, [names.earlierStatus]: status } };
}

/**
 * Makes a link to whoever asked for a run. Undefined if it can be no address.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/ which links the work on a message to its sender
 */
function linkToRequest(traceparent: string, conversationId: string): Link | undefined {
  const context = parseTraceparent(traceparent);
  if (context === undefined) return undefined;
  return { context, attributes: { [names.conversation]: conversationId, [names.linkType]: 'request' } };
}

function parseTraceparent(traceparent: string): SpanContext | undefined {
  const found = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent);
  if (found === null) return undefined;
  const [, traceId = '', spanId = '', flags = ''] = found;
  const context: SpanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}
