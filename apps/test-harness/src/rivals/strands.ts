import { newestStep } from '@palimpsest/view';
import { condensed } from './clear-results.js';
import type { Rival } from './rival.js';
import { messageStarts, summariseOldest } from './summarise-oldest.js';

const windowSize = 40;

/**
 * The sliding window of Strands. When a request of the user has been answered, only the newest 40 messages stay.
 * Between two requests nothing is forgotten, unless the window is full: then only the newest 40 messages stay, too, or
 * two fewer than there are.
 *
 * Simplified: a full window does not replace the newest results by an error before it forgets messages. The words of the user and the
 * system prompt stay.
 *
 * @see `SlidingWindowConversationManager` of @strands-agents/sdk 1.19.0, at 09b08717, with its defaults
 */
export const strandsSlidingWindow: Rival = {
  name: 'rival:strands-sliding-window',
  create: () => ({
    name: strandsSlidingWindow.name,
    condense: (view, { contextWindow = Infinity, fixedTokens = 0, preview } = {}) => {
      const newest = view.events.at(view.events.length - 1);
      const isNewRequest = newest?.type === 'message' && newest.role === 'user';
      const isFull = view.tokens() + fixedTokens > contextWindow;
      if (preview === true || (!isNewRequest && !isFull)) return view;
      const starts = messageStarts(view, 'together').slice(0, isNewRequest ? -1 : undefined);
      if (starts.length <= windowSize && !isFull) return view;
      const first = starts[starts.length <= windowSize ? 2 : starts.length - windowSize] ?? 0;
      const end = Math.min(view.cutPoints.atOrAfter(first) ?? 0, newestStep(view).cutPoint);
      const metadata = { condenser: strandsSlidingWindow.name, tokensBefore: view.tokens() };
      return condensed({ view, start: 0, end, metadata });
    },
  }),
};

const [summaryRatio, preserveRecentMessages] = [0.3, 10];

/**
 * The summaries of Strands. When the window is full, a model summarises the oldest 30 % of the messages; the newest ten
 * stay.
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
