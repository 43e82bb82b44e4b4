import { SpanKind, context, trace } from '@opentelemetry/api';
import type { Attributes, SpanOptions } from '@opentelemetry/api';
import type { RunOutcome } from '../conversation/run-outcome.js';
import type { RunWork } from '../instrumentation.js';
import { tellFailure } from './ended-span.js';
import { names } from './names.js';
import { within } from './surroundings.js';
import type { RunTally } from './surroundings.js';
import { idOf, secondsSince } from './telemetry.js';
import type { Telemetry } from './telemetry.js';
import { linkTo, linkToRequest, traceparentOf } from './traceparent.js';

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
