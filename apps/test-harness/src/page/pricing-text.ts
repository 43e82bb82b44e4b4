import type { ReplayedSession } from '../replay/replayed-session.js';
import type { PricedAs } from './page-data.js';

/**
 * Says at which model's prices the sessions are priced: of one model, or how many of which.
 *
 * @param plural - formats a number of sessions
 */
export function pricingText(
  sessions: readonly Pick<ReplayedSession, 'priced'>[],
  { model, because }: PricedAs,
  plural: (count: number) => string,
): string {
  const own = new Map<string, number>();
  let assumed = 0;
  for (const { priced } of sessions) {
    if (priced === undefined || priced.isAssumed) assumed++;
    else own.set(priced.prices.name, (own.get(priced.prices.name) ?? 0) + 1);
  }
  if (because === 'named') return `at the prices of ${model}, the model you named`;
  const [[only] = [model], ...others] = own;
  if (others.length === 0 && assumed === 0) return `at the prices of ${only}, the recorded model`;
  const at = [...own]
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, count]) => `${plural(count)} at the prices of ${name}`);
  const unknown = `${plural(assumed)} whose log names no model with known prices at those of ${model}`;
  if (at.length === 0) return `at the prices of ${model}, because the logs name no model with known prices`;
  return `each at the prices of its own model: ${[...at, ...(assumed === 0 ? [] : [unknown])].join('; ')}`;
}
