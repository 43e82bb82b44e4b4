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
