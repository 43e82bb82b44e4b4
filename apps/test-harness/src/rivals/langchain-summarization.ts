import type { Summarizer } from '@palimpsest/condensers/authoring';
import type { View } from '@palimpsest/view';
import { messageStarts } from './message-starts.js';
import { summariseOldest } from './summarise-oldest.js';
import type { Rival } from './rival.js';

const [triggerShare, keep, readTokens] = [0.8, 20, 4_000];

/**
 * At 80 % of the window, a model summarises all but the newest 20 messages; it reads the newest 4,000 tokens of them.
 *
 * Simplified: the middleware has no trigger by default and then never acts, so the trigger is the fraction of its documentation's
 * example. The first words of the user stay. Without a window it does not act.
 *
 * @see `summarizationMiddleware` of langchain 1.5.14, at 02e85482: `keep` and `trimTokensToSummarize` by default
 */
export const langchainSummarization: Rival = {
  name: 'rival:langchain-summarization',
  create: (llm) =>
    summariseOldest({
      name: langchainSummarization.name,
      llm,
      isDue: (view, { contextWindow = Infinity, fixedTokens = 0 }) =>
        view.tokens() + fixedTokens >= triggerShare * contextWindow,
      rangeOf: (view) => {
        const starts = messageStarts(view, 'each');
        return { start: 0, end: starts[starts.length - keep] ?? 0 };
      },
      readerOf: readsNewest,
    }),
};

function readsNewest(summarizer: Summarizer, view: View): Summarizer {
  return {
    ...summarizer,
    summarize: (input, context) => {
      let left = readTokens;
      const first = input.events.findLastIndex((event) => (left -= view.tokensOf(event)) < 0);
      return summarizer.summarize({ ...input, events: input.events.slice(first + 1) }, context);
    },
  };
}
