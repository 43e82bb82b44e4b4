import { usageSchema } from '@palimpsest/events';
import type { Event, Usage } from '@palimpsest/events';
import { noUsage, sumUsage } from '@palimpsest/llm-adapters';

/** What a run has used so far, the model calls of condensers included. */
export interface RunTotals {
  /** Model calls of the agent. */
  readonly steps: number;
  readonly condensations: number;
  readonly usage: Usage;
  /** Unit: USD. Undefined as soon as the cost of one call is not known. */
  readonly costUsd: number | undefined;
}

/** A run that has not begun. */
export const noTotals: RunTotals = { steps: 0, condensations: 0, usage: noUsage, costUsd: 0 };

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

function withCall(totals: RunTotals, call: { readonly usage?: unknown; readonly costUsd?: unknown }): RunTotals {
  const { success, data: usage } = usageSchema.safeParse(call.usage);
  if (!success) return totals;
  const isKnown = typeof call.costUsd === 'number' && totals.costUsd !== undefined;
  return {
    ...totals,
    usage: sumUsage([totals.usage, usage]),
    costUsd: isKnown ? totals.costUsd + call.costUsd : undefined,
  };
}
