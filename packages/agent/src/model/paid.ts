import type { Usage } from '@palimpsest/events';
import type { Completion } from '@palimpsest/llm-adapters';

/** What the usage event of an answer says, beside who asked: under our id, with the server's own where it gave one. */
export function usageOf(
  completion: Pick<Completion, 'providerResponseId' | 'model' | 'usage' | 'costUsd'>,
  responseId: string,
): {
  readonly responseId: string;
  readonly providerResponseId?: string;
  readonly model: string;
  readonly usage: Usage;
  readonly costUsd?: number;
} {
  // Adapters of others may say anything.
  const { providerResponseId, model, usage } = completion as Omit<typeof completion, 'providerResponseId'> & {
    readonly providerResponseId?: unknown;
  };
  const isNamed = typeof providerResponseId === 'string' && providerResponseId !== '';
  return { responseId, ...(isNamed ? { providerResponseId } : {}), model, usage, ...costOf(completion) };
}

/** What a model call is said to have cost, where that is an amount: adapters of others may say anything. */
export function costOf({ costUsd }: { readonly costUsd?: number | undefined }): { readonly costUsd?: number } {
  return typeof costUsd === 'number' && Number.isFinite(costUsd) && costUsd >= 0 ? { costUsd } : {};
}

/**
 * What a condensation or an attempt says of the model call that it took, as the `data` of an attempt that nothing came of.
 * Nothing where no call is told of.
 */
export function paidIn(told: Readonly<Record<string, unknown>> = {}): {
  readonly data?: Readonly<Record<string, unknown>>;
} {
  const { model, usage, costUsd } = told;
  if (usage === undefined && costUsd === undefined) return {};
  return {
    data: Object.fromEntries(Object.entries({ model, usage, costUsd }).filter(([, value]) => value !== undefined)),
  };
}
