import { pipelineCondenser, pricedCondenser } from '@palimpsest/condensers';
import { relevanceCondenser } from '@palimpsest/relevance-tool';
import type { Condenser } from '@palimpsest/view';

/**
 * The policy of the reference agent: the best that we have measured, and no model is asked.
 *
 * 1. A result that the model marked as no longer needed is replaced by the model's note. The marks wait until they pay for one
 *    rewrite together.
 * 2. When it is cheaper than reading on, a list of what was done replaces the older part of the history: the user's words, files, failures,
 *    commands, names, and the files in work. `recall` returns what it replaces.
 *
 * A summary by a model is a matter of configuration: `palimpsest demo --config`.
 *
 * @param whenItPays - the second stage. The default is `priced` with its preset `balanced`
 * @see docs/decisions/0061-the-reference-agents-default.md for what was measured
 */
export function defaultCondenser(whenItPays: Condenser = pricedCondenser()): Condenser {
  return pipelineCondenser([relevanceCondenser({ apply: 'batched' }), whenItPays]);
}
