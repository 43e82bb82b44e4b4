import type { CondenseContext, View } from '@palimpsest/view';
import { calibrationOf, promptCounts } from '../authoring/rolling/calibration.js';

/**
 * The size of the next model call, including system prompt and tools. Unit: tokens. If no condensation followed the agent's last
 * call that sent a part of this view, it is the provider's count for that call plus an estimate of the later events; otherwise an
 * estimate of everything. Costs O(1).
 */
export function promptSize(view: View, { fixedTokens = 0 }: Pick<CondenseContext, 'fixedTokens'>): number {
  const calibration = calibrationOf(view, fixedTokens);
  // With an estimate of more than there is, the count is of a prompt that this view has not sent.
  const last = promptCounts(view, fixedTokens).believed.findLast(({ estimated }) => estimated <= view.tokens());
  if (last === undefined || isEditedAfter(view, last.index)) {
    return fixedTokens + Math.round(view.tokens() * calibration);
  }
  return Math.max(0, last.sent + Math.round((view.tokens() - last.estimated) * calibration));
}

/** Earlier counts measure a prompt that is no longer sent. */
function isEditedAfter({ internalEvents }: View, index: number): boolean {
  for (let after = index + 1; after < internalEvents.length; after++) {
    const type = internalEvents.at(after)?.type;
    if (type === 'condensation' || type === 'condensation-revert') return true;
  }
  return false;
}
