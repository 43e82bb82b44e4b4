import { SpanStatusCode } from '@opentelemetry/api';
import type { Span } from '@opentelemetry/api';
import { LLMError } from '@palimpsest/llm-adapters';
import { ConversationRunError, codeOf } from '../errors.js';
import { names } from './names.js';

/**
 * The error as a word of low cardinality: the code of our errors, else the name of the class. Never its message, which quotes what was
 * sent, and never what is no name: a tool may throw anything.
 */
export function errorTypeOf(thrown: unknown): string {
  const cause = ConversationRunError.isInstance(thrown) ? thrown.cause : thrown;
  if (!LLMError.isInstance(cause) && cause instanceof Error && cause.name === 'Error') return '_OTHER';
  const code = codeOf(cause);
  return /^[\w.-]{1,64}$/.test(code) && code !== 'unknown' ? code : '_OTHER';
}

/** Says on a span that its work failed, or that the user ended it. Returns the type of the error. */
export function tellFailure(
  span: Span,
  thrown: unknown,
  signal: AbortSignal | undefined,
): { readonly errorType?: string } {
  if (signal?.aborted === true) {
    span.setAttribute(names.interrupted, true);
    return {};
  }
  return { errorType: tellError(span, errorTypeOf(thrown)) };
}

/** Says on a span that its work failed. */
export function tellError(span: Span, errorType: string): string {
  span.setAttribute(names.errorType, errorType);
  span.setStatus({ code: SpanStatusCode.ERROR });
  return errorType;
}
