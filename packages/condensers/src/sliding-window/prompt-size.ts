import type { CondenseContext, View } from '@palimpsest/view';
import { calibrationOf } from '../authoring/rolling/calibration.js';

/** How many of the newest internal events are looked at. */
const searched = 64;

/**
 * What the next model call would be sent, system prompt and tools with it. Unit: tokens. What the provider counted in the agent's
 * last call, if no condensation came since, and an estimate of what came behind it; else an estimate of all. Costs O(1).
 */
export function promptSize(view: View, { fixedTokens = 0 }: Pick<CondenseContext, 'fixedTokens'>): number {
  const calibration = calibrationOf(view, fixedTokens);
  const { internalEvents } = view;
  const end = Math.max(0, internalEvents.length - searched);
  for (let index = internalEvents.length - 1; index >= end; index--) {
    const event = internalEvents.at(index);
    // What was counted before it is the size of a prompt that is no longer sent.
    if (event?.type === 'condensation' || event?.type === 'condensation-revert') break;
    if (event?.type !== 'llm-usage' || (event.purpose ?? 'agent') !== 'agent') continue;
    const { usage, estimatedInputTokens } = event;
    const counted = usage.uncachedInputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
    const since = estimatedInputTokens === undefined ? 0 : view.tokens() - estimatedInputTokens;
    return Math.max(0, counted + Math.round(since * calibration));
  }
  return fixedTokens + Math.round(view.tokens() * calibration);
}
