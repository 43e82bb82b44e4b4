import { usageSchema } from '@palimpsest/events';
import type { Event, Usage } from '@palimpsest/events';
import { assertCount, assertPositive, LimitExceededError } from './errors.js';

/**
 * Limits of a run. It ends with {@link LimitExceededError} when one is reached. A run that another process takes over, because the first
 * one died or released it, is the same run: what it has used is read from the log.
 */
export interface Limits {
  /** Steps that call the model or carry out confirmed calls; steps that condense do not count. @defaultValue 500 */
  readonly maxIterations: number;
  /** Input and output of all model calls, cached or not, including the calls of condensers. Unit: tokens. @defaultValue none */
  readonly maxTokens?: number;
  /** Cost of all model calls, including the calls of condensers. Unit: USD. @defaultValue none */
  readonly maxCostUsd?: number;
}

/**
 * The number of condensations that may follow each other without a model call. Then the model is called with the view as it is. If
 * that does not fit, the history cannot be made to fit.
 */
export const maxCondensationsInARow = 3;

/**
 * The number of times in a row that an answer is continued that was cut and holds no call that could be run. If it is cut once
 * more, the run ends.
 */
export const maxContinuations = 3;

/** The default limits of a run. */
export const defaultLimits: Limits = { maxIterations: 500 };

export interface RunUsage {
  readonly iterations: number;
  /** Unit: tokens. */
  readonly tokens: number;
  /** Unit: USD. */
  readonly costUsd: number;
  /** Calls whose cost is not known. */
  readonly callsWithoutCost: number;
}

export const noRunUsage: RunUsage = { iterations: 0, tokens: 0, costUsd: 0, callsWithoutCost: 0 };

/** @throws RangeError when a limit is out of range. */
export function assertLimits({ maxIterations, maxTokens, maxCostUsd }: Partial<Limits>): void {
  if (maxIterations !== Infinity) assertCount('limits.maxIterations', maxIterations, 1);
  assertPositive('limits.maxTokens', maxTokens);
  assertPositive('limits.maxCostUsd', maxCostUsd);
}

/**
 * Adds the model call that an event records. Condensers record their calls in the metadata of a condensation, or, without
 * one, in the data of an attempt.
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

/** @throws {@link LimitExceededError} when a limit is reached, or the cost is limited and the cost of a call is not known. */
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
    throw new LimitExceededError(
      'cost-usd',
      maxCostUsd,
      'The cost of a call is not known: set the prices of the model.',
    );
  }
  if (used.costUsd >= maxCostUsd) {
    throw new LimitExceededError('cost-usd', maxCostUsd, 'Run again to go on, or raise maxCostUsd.');
  }
}

/**
 * @param cause - the overflow that a condensation would answer
 * @throws {@link LimitExceededError} when {@link maxCondensationsInARow} is reached.
 */
export function assertCondensationAllowed(condensationsInARow: number, cause: unknown): void {
  if (condensationsInARow < maxCondensationsInARow) return;
  throw new LimitExceededError(
    'condensations-in-a-row',
    maxCondensationsInARow,
    'The history cannot be made to fit: lower what the condenser keeps, or use a model with a larger window.',
    { cause },
  );
}
