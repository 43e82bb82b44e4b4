import { usageSchema } from '@palimpsest/events';
import type { Event, Usage } from '@palimpsest/events';
import { noUsage, sumUsage } from '@palimpsest/llm-adapters';

/** What a run has used so far, the model calls of condensers included. */
export interface RunTotals {
  /** Model calls of the agent. */
  readonly steps: number;
  readonly condensations: number;
  readonly usage: Usage;
  /** A part of the usage was not counted by the provider: of an answer that was interrupted, for instance. */
  readonly isEstimated: boolean;
  /** Unit: USD. Undefined as soon as the cost of one call is not known. */
  readonly costUsd: number | undefined;
}

/** A run that has not begun. */
export const noTotals: RunTotals = { steps: 0, condensations: 0, usage: noUsage, isEstimated: false, costUsd: 0 };

/** Adds what an event records. Condensers record their calls in a condensation, or in an attempt that came to none. */
export function withEvent(totals: RunTotals, event: Event): RunTotals {
  switch (event.type) {
    case 'llm-usage':
      return withCall({ ...totals, steps: totals.steps + (event.purpose === 'agent' ? 1 : 0) }, event);
    case 'condensation':
      return withCall({ ...totals, condensations: totals.condensations + 1 }, event.metadata ?? {});
    case 'condensation-attempt':
      return withCall(totals, event.data ?? {});
    default:
      return totals;
  }
}

function withCall(
  totals: RunTotals,
  call: { readonly usage?: unknown; readonly usageIsEstimated?: unknown; readonly costUsd?: unknown },
): RunTotals {
  const { success, data: usage } = usageSchema.safeParse(call.usage);
  if (!success) return totals;
  const isKnown = typeof call.costUsd === 'number' && totals.costUsd !== undefined;
  return {
    ...totals,
    usage: sumUsage([totals.usage, usage]),
    isEstimated: totals.isEstimated || call.usageIsEstimated === true,
    costUsd: isKnown ? totals.costUsd + call.costUsd : undefined,
  };
}
