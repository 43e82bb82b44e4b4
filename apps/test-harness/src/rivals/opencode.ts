import { pipelineCondenser } from '@palimpsest/condensers';
import type { Condenser, View } from '@palimpsest/view';
import { clearResults, resultsIn } from './clear-results.js';
import type { Rival } from './rival.js';
import { summariseOldest } from './summarise-oldest.js';

const [protectTokens, minimumTokens, reserved, mostRecent] = [40_000, 20_000, 20_000, 15_000];
const placeholder = '[Old tool result content cleared]';

/**
 * The policy of opencode. When a request of the user has been answered, results are cleared that are older than the
 * newest 40,000 tokens of results and than the last two requests, if that frees more than 20,000 tokens. When the
 * window is full but for 20,000 tokens, a model summarises all but the newest 15,000 tokens.
 *
 * Simplified: pruning is on (`compaction.prune`; recent versions have it off by default); the summary's prompt is ours; images count as
 * the view counts them.
 *
 * @see `SessionCompaction` of opencode 1.18.33, at 31e22f65: PRUNE_PROTECT, PRUNE_MINIMUM, MAX_PRESERVE_RECENT_TOKENS
 */
export const opencode: Rival = {
  name: 'rival:opencode',
  create: (llm) =>
    pipelineCondenser([
      prune,
      summariseOldest({
        name: opencode.name,
        llm,
        isDue: (view, { contextWindow = Infinity, fixedTokens = 0 }) =>
          view.tokens() + fixedTokens >= contextWindow - reserved,
        rangeOf: (view) => ({ start: 0, end: firstOfNewest(view, mostRecent) }),
      }),
    ]),
};

const prune: Condenser = {
  name: 'rival:opencode',
  condense: (view, { preview } = {}) => {
    const { events } = view;
    const newest = events.at(events.length - 1);
    if (preview === true || newest?.type !== 'message' || newest.role !== 'user') return view;
    const users = [...events].flatMap(({ type, source }, index) =>
      type === 'message' && source === 'user' ? [index] : [],
    );
    // The newest message begins a request; what came of the two before it is not looked at.
    const before = users.at(-3) ?? 0;
    let total = 0;
    let freed = 0;
    const old = resultsIn(view)
      .filter((index) => index < before)
      .reverse()
      .filter((index) => {
        const size = view.tokens(index, index + 1);
        total += size;
        if (total <= protectTokens) return false;
        freed += size;
        return true;
      });
    return freed > minimumTokens ? clearResults(view, old, { name: 'rival:opencode', text: placeholder }) : view;
  },
};

function firstOfNewest(view: View, tokens: number): number {
  let first = view.events.length;
  while (first > 0 && view.tokens(first - 1) <= tokens) first--;
  return first;
}
