import { slidingWindowCondenser } from '@palimpsest/condensers';
import type { Summarizer } from '@palimpsest/condensers/authoring';
import type { View } from '@palimpsest/view';
import type { Rival } from './rival.js';
import { messageStarts, summariseOldest } from './summarise-oldest.js';

const [maxSize, keepFirst] = [120, 4];

/**
 * Above 120 events, a model summarises all but the first four and the newest ones, so that 60 are left, the summary included. An earlier
 * summary is replaced with the rest.
 *
 * Simplified: the words of the user and the system prompt stay, as for every condenser of ours; the model reads whole events.
 *
 * @see LLMSummarizingCondenser of OpenHands' software-agent-sdk at 611629e6
 */
export const openhands: Rival = {
  name: 'rival:openhands',
  create: (llm) =>
    summariseOldest({
      name: openhands.name,
      llm,
      isDue: ({ events }) => events.length > maxSize,
      rangeOf: ({ events }) => {
        const size = Math.min(maxSize, events.length);
        const tail = Math.floor(size / 2) - keepFirst - 1;
        return { start: keepFirst, end: events.length - Math.max(0, tail) };
      },
    }),
};

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
