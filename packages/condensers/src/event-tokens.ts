import type { LLMConvertibleEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';

/**
 * What an event would count in the place of another one, as the view counts: only the view knows by which estimate. Linear in
 * the view, so for decisions that are made, not for those that are thought of. Unit: tokens.
 */
export function tokensInPlace(view: View, index: number, event: LLMConvertibleEvent): number {
  const replaced = view.events.at(index);
  if (replaced === undefined) return 0;
  return view.replace(new Map([[replaced.id, { event }]])).tokens(index, index + 1);
}
