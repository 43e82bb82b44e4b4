import { usageSchema } from '@palimpsest/events';
import type { Event, Usage } from '@palimpsest/events';
import { LimitExceededError } from './errors.js';
import { assertCount, assertPositive } from './option-checks.js';

/** How far a run may go before it ends with {@link LimitExceededError}. */
export interface Limits {
  /** Steps of one run that call the model or carry out calls that waited; steps that condense do not count. @defaultValue 500 */
  readonly maxIterations: number;
  /** What all model calls of a run may send and answer, cached or not, those of condensers included. Unit: tokens. @defaultValue none */
  readonly maxTokens?: number;
  /** What all model calls of a run may cost, those of condensers included. Unit: USD. @defaultValue none */
  readonly maxCostUsd?: number;
}

/**
 * How many condensations may follow each other with no model call between them. The third one still takes effect; where a
 * fourth would be needed the history cannot be made to fit.
 */
export const maxCondensationsInARow = 3;

/** The limits of a run where nothing else was said. */
export const defaultLimits: Limits = { maxIterations: 500 };

/** What a run has used so far. */
export interface RunUsage {
  readonly iterations: number;
  /** Unit: tokens. */
  readonly tokens: number;
  /** Unit: USD. */
  readonly costUsd: number;
  /** Calls of which nobody knows what they cost. */
  readonly callsWithoutCost: number;
}

/** A run that has not begun. */
export const noRunUsage: RunUsage = { iterations: 0, tokens: 0, costUsd: 0, callsWithoutCost: 0 };

/** @throws RangeError when one of them makes no sense: a limit that never holds is none. */
export function assertLimits({ maxIterations, maxTokens, maxCostUsd }: Partial<Limits>): void {
  if (maxIterations !== Infinity) assertCount('limits.maxIterations', maxIterations, 1);
  assertPositive('limits.maxTokens', maxTokens);
  assertPositive('limits.maxCostUsd', maxCostUsd);
}

/**
 * The usage with what an event says of one more model call. Condensers note theirs in the metadata of a condensation, or, where
 * nothing came of it, in an attempt.
 */
export function withCallOf(used: RunUsage, event: Event): RunUsage {
  switch (event.type) {
    case 'llm-usage':
      return withCall(used, event);
    case 'condensation':
      return withCall(used, event.metadata ?? {});
    case 'condensation-attempt':
      return withCall(used, event.data ?? {});
    default:
      return used;
  }
}

function withCall(used: RunUsage, call: { readonly usage?: unknown; readonly costUsd?: unknown }): RunUsage {
  const { success, data: usage } = usageSchema.safeParse(call.usage);
  const costUsd = typeof call.costUsd === 'number' && call.costUsd >= 0 ? call.costUsd : undefined;
  if (!success) return costUsd === undefined ? used : { ...used, costUsd: used.costUsd + costUsd };
  return withTokens(used, usage, costUsd);
}

function withTokens(used: RunUsage, usage: Usage, costUsd: number | undefined): RunUsage {
  const { uncachedInputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  return {
    ...used,
    tokens: used.tokens + uncachedInputTokens + cacheReadTokens + cacheWriteTokens + outputTokens,
    costUsd: used.costUsd + (costUsd ?? 0),
    callsWithoutCost: used.callsWithoutCost + (costUsd === undefined ? 1 : 0),
  };
}

/**
 * @throws {@link LimitExceededError} when the run has used what it may; also when a call has no known cost and the cost is
 *   limited, because then nobody can tell.
 */
export function assertWithinLimits(used: RunUsage, limits: Limits): void {
  const { maxIterations, maxTokens = Infinity, maxCostUsd } = limits;
  if (used.iterations >= maxIterations) {
    throw new LimitExceededError('iterations', maxIterations, 'Run again to go on, or raise maxIterations.');
  }
  if (used.tokens >= maxTokens) {
    throw new LimitExceededError('tokens', maxTokens, 'Run again to go on, or raise maxTokens.');
  }
  if (maxCostUsd === undefined) return;
  if (used.callsWithoutCost > 0) {
    throw new LimitExceededError('cost-usd', maxCostUsd, 'What a call cost is not known: give the model its prices.');
  }
  if (used.costUsd >= maxCostUsd) {
    throw new LimitExceededError('cost-usd', maxCostUsd, 'Run again to go on, or raise maxCostUsd.');
  }
}

/** @throws {@link LimitExceededError} when one more condensation would be one too many. */
export function assertCondensationAllowed(condensationsInARow: number, cause?: unknown): void {
  if (condensationsInARow < maxCondensationsInARow) return;
  throw new LimitExceededError(
    'condensations-in-a-row',
    maxCondensationsInARow,
    'The history cannot be made to fit: lower what the condenser keeps, or use a model with a larger window.',
    { cause },
  );
}
