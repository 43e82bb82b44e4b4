import { pricedCondenser } from '@palimpsest/condensers';
import type { PricedOptions } from '@palimpsest/condensers';
import { relevanceCondenser } from '@palimpsest/relevance-tool';
import type { Condenser } from '@palimpsest/view';

/**
 * The policy of the reference agent: the best that we have measured, and no model is asked. It acts when that is cheaper than reading
 * on, with one ledger for both stages:
 *
 * 1. A result that the model marked as no longer needed is replaced by the model's note.
 * 2. A list of what was done replaces the older part of the history: the user's words, files, failures, commands, names, and the
 *    files in work. `recall` returns what it replaces.
 *
 * A summary by a model is a matter of configuration: `palimpsest demo --config`.
 *
 * @param list - the second stage. The default is the preset `balanced` of `priced`
 * @see docs/decisions/0061-the-reference-agents-default.md for what was measured
 */
export function defaultCondenser(list: Pick<PricedOptions, 'preset' | 'stages'> = { preset: 'balanced' }): Condenser {
  const marks = relevanceCondenser({ apply: 'batched' });
  return pricedCondenser({ ...list, stages: [marks, ...(list.stages ?? [])] });
}
