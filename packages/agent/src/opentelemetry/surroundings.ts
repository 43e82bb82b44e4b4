import { createContextKey } from '@opentelemetry/api';
import type { Context } from '@opentelemetry/api';
import type { CondensationSpan } from './condensation-span.js';

/** What a run adds up. */
export interface RunTally {
  inferenceCalls: number;
  toolCalls: number;
  inputTokens: number;
  outputTokens: number;
  costUsd: number | undefined;
}

/** What work learns of the work around it, by way of the context. */
export interface Surroundings {
  readonly conversationId?: string | undefined;
  readonly tally?: RunTally | undefined;
  readonly condensation?: CondensationSpan | undefined;
  /** A model call is observed around this: a wrapped model inside is the same call. */
  readonly isModelCall?: boolean;
}

const key = createContextKey('@palimpsest/agent');

export function surroundingsOf(context: Context): Surroundings {
  return (context.getValue(key) as Surroundings | undefined) ?? {};
}

/** The context with these surroundings besides those that it has. */
export function within(context: Context, added: Surroundings): Context {
  return context.setValue(key, { ...surroundingsOf(context), ...added });
}
