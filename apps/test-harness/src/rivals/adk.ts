import { slidingWindowCondenser } from '@palimpsest/condensers';
import type { Rival } from './rival.js';

/**
 * After three requests of the user, a model summarises them, with the request before them once more; the summaries stay as they are.
 * `slidingWindow` is this rule.
 *
 * @see `EventsCompactionConfig(compaction_interval=3, overlap_size=1)` of Google's ADK for Python, the example of its documentation
 */
export const adk: Rival = {
  name: 'rival:adk',
  create: (llm) => ({
    ...slidingWindowCondenser({ llm, compactionInterval: 3, overlapSize: 1 }),
    name: adk.name,
  }),
};
