import { context, metrics, trace } from '@opentelemetry/api';
import type { Context, MeterProvider, Span, TracerProvider } from '@opentelemetry/api';
import type { LLM } from '@palimpsest/llm-adapters';
import type { Instrumentation } from '../instrumentation.js';
import { BackgroundCondensations, observedCondensation } from './condensation.js';
import { tellFailure } from './ended-span.js';
import { Measures } from './measures.js';
import { observedModelCall } from './model-call.js';
import { names } from './names.js';
import { observedRun } from './run.js';
import { surroundingsOf, within } from './surroundings.js';
import { idOf } from './telemetry.js';
import type { Telemetry } from './telemetry.js';
import type { OpenTelemetryOptions } from './telemetry-options.js';
import { observedTool } from './tool-call.js';
import { traceparentOf } from './traceparent.js';

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
