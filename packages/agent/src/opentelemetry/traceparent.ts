import { isSpanContextValid } from '@opentelemetry/api';
import type { Link, SpanContext } from '@opentelemetry/api';
import type { EarlierRun } from '../instrumentation.js';
import { names } from './names.js';

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
