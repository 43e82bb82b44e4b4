import type { FailedAttempt } from '@palimpsest/llm-adapters';
import type { RetryEvent } from './stream-event.js';

/** What is told of a model call that failed and is tried again. */
export function retryEvent({ attempts, error, ...retry }: FailedAttempt): RetryEvent {
  return { type: 'retry', ...retry, ...(attempts === Infinity ? {} : { attempts }), error: error.message };
}
