import type { CondenseContext, View } from '@palimpsest/view';
import { calibrationOf } from '../authoring/rolling/calibration.js';

/** The number of newest internal events that are read. */
const searched = 64;

/**
 * The size of the next model call, including system prompt and tools. Unit: tokens. If no condensation followed the agent's last
 * call that sent a part of this view, it is the provider's count for that call plus an estimate of the later events; otherwise an
 * estimate of everything. Costs O(1).
 */
export function promptSize(view: View, { fixedTokens = 0 }: Pick<CondenseContext, 'fixedTokens'>): number {
  const calibration = calibrationOf(view, fixedTokens);
  const { internalEvents } = view;
  const end = Math.max(0, internalEvents.length - searched);
  for (let index = internalEvents.length - 1; index >= end; index--) {
    const event = internalEvents.at(index);
    // Earlier counts measure a prompt that is no longer sent.
    if (event?.type === 'condensation' || event?.type === 'condensation-revert') break;
    if (event?.type !== 'llm-usage' || (event.purpose ?? 'agent') !== 'agent') continue;
    const { usage, estimatedInputTokens } = event;
    // Without an estimate, or with one of more than there is, the usage is of a prompt that this view has not sent.
    if (estimatedInputTokens === undefined || estimatedInputTokens > view.tokens()) continue;
    const counted = usage.uncachedInputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
    const since = view.tokens() - estimatedInputTokens;
    return Math.max(0, counted + Math.round(since * calibration));
  }
  return fixedTokens + Math.round(view.tokens() * calibration);
}
