import type { Usage } from '@palimpsest/events';
import type { Completion } from '@palimpsest/llm-adapters';

/**
 * Returns the fields of an `llm-usage` event of an answer, except its purpose. The response id is ours; the server's is kept if it
 * gave one.
 */
export function usageOf(
  completion: Pick<Completion, 'providerResponseId' | 'model' | 'usage' | 'usageIsEstimated' | 'costUsd'>,
  responseId: string,
): {
  readonly responseId: string;
  readonly providerResponseId?: string;
  readonly model: string;
  readonly usage: Usage;
  readonly usageIsEstimated?: true;
  readonly costUsd?: number;
} {
  // Foreign adapters may return anything.
  const { providerResponseId, model, usage, usageIsEstimated } = completion as Omit<
    typeof completion,
    'providerResponseId'
  > & {
    readonly providerResponseId?: unknown;
  };
  const isNamed = typeof providerResponseId === 'string' && providerResponseId !== '';
  return {
    responseId,
    ...(isNamed ? { providerResponseId } : {}),
    model,
    usage,
    ...(usageIsEstimated === true ? { usageIsEstimated } : {}),
    ...costOf(completion),
  };
}

/** Returns the cost of a model call, if it is an amount: foreign adapters may return anything. */
export function costOf({ costUsd }: { readonly costUsd?: number | undefined }): { readonly costUsd?: number } {
  return typeof costUsd === 'number' && Number.isFinite(costUsd) && costUsd >= 0 ? { costUsd } : {};
}

/**
 * Returns the model call that the metadata of a condensation or the data of an attempt records, as data of an attempt. Empty
 * without such a record.
 */
export function recordedCost(told: Readonly<Record<string, unknown>> = {}): {
  readonly data?: Readonly<Record<string, unknown>>;
} {
  const { model, usage, costUsd } = told;
  if (usage === undefined && costUsd === undefined) return {};
  return {
    data: Object.fromEntries(Object.entries({ model, usage, costUsd }).filter(([, value]) => value !== undefined)),
  };
}
