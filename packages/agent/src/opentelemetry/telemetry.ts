import type { Attributes, Tracer } from '@opentelemetry/api';
import type { LLM } from '@palimpsest/llm-adapters';
import type { Measures } from './measures.js';
import { names } from './names.js';

/** What the observed work has in common. */
export interface Telemetry {
  readonly tracer: Tracer;
  readonly measures: Measures;
  /** Whether what is said is recorded. */
  readonly content: boolean;
  readonly providerName: (llm: LLM) => string;
}

/** The conversation that a span belongs to, if it is known. */
export function idOf(conversationId: string | undefined): Attributes {
  return conversationId === undefined ? {} : { [names.conversation]: conversationId };
}

/** Seconds since, by a clock that does not jump. */
export function secondsSince(start: number): number {
  return (performance.now() - start) / 1_000;
}
