import { messageStarts } from './message-starts.js';
import { summariseOldest } from './summarise-oldest.js';
import type { Rival } from './rival.js';

const [summaryRatio, preserveRecentMessages] = [0.3, 10];

/**
 * When the window is full, a model summarises the oldest 30 % of the messages; the newest ten stay.
 *
 * Simplified: it acts before a request that would not fit, not after the provider has refused it. The words of the user stay.
 *
 * @see `SummarizingConversationManager` of @strands-agents/sdk 1.19.0, at 862f2340, with its defaults
 */
export const strandsSummarizing: Rival = {
  name: 'rival:strands-summarizing',
  create: (llm) =>
    summariseOldest({
      name: strandsSummarizing.name,
      llm,
      isDue: (view, { contextWindow = Infinity, fixedTokens = 0 }) => view.tokens() + fixedTokens > contextWindow,
      rangeOf: (view) => {
        const starts = messageStarts(view, 'together');
        const wanted = Math.max(1, Math.floor(starts.length * summaryRatio));
        return { start: 0, end: starts[Math.max(0, Math.min(wanted, starts.length - preserveRecentMessages))] ?? 0 };
      },
    }),
};
