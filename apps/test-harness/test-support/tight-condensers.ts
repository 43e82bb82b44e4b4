import {
  amortizedForgettingCondenser,
  browserOutputCondenser,
  conversationWindowCondenser,
  digestCondenser,
  extractiveSummaryCondenser,
  llmAttentionCondenser,
  llmSummarizingCondenser,
  observationMaskingCondenser,
  pipelineCondenser,
  pricedCondenser,
  recentEventsCondenser,
  slidingWindowCondenser,
  structuredSummaryCondenser,
} from '@palimpsest/condensers';
import type { Condenser } from '@palimpsest/view';
import { stubSummarizer } from '../src/replay/stub-summarizer.js';

/** A condenser that acts all the time, and how many events it may leave. */
export interface Tight {
  readonly create: () => Condenser;
  /** Unit: events. @defaultValue none is declared */
  readonly bound?: number;
}

/** What a summary costs is asked nowhere, so nothing has to count its tokens exactly. */
const { llm } = stubSummarizer((text) => Math.ceil(text.length / 4));
const sizes = { maxSize: 12, keepFirst: 2 };
const masks = { attentionWindow: 2, minSavedTokens: 50 };
/** Each built-in condenser, by a name for the test. */
export const tight: Readonly<Record<string, Tight>> = {
  recentEvents: { create: () => recentEventsCondenser({ keepFirst: 2, maxSize: 12 }), bound: 12 },
  observationMasking: { create: () => observationMaskingCondenser({ ...masks, maskArguments: true }) },
  'observationMasking, rolling': {
    create: () => observationMaskingCondenser({ attentionWindow: 2, rewritesEveryStep: true }),
  },
  browserOutput: { create: () => browserOutputCondenser(masks) },
  amortizedForgetting: { create: () => amortizedForgettingCondenser(sizes), bound: 12 },
  conversationWindow: { create: () => conversationWindowCondenser() },
  extractiveSummary: { create: () => extractiveSummaryCondenser({ ...sizes, maxSummaryTokens: 200 }), bound: 12 },
  llmSummarizing: { create: () => llmSummarizingCondenser({ ...sizes, llm }) },
  'llmSummarizing, in the background': { create: () => llmSummarizingCondenser({ ...sizes, llm, background: true }) },
  structuredSummary: { create: () => structuredSummaryCondenser({ ...sizes, llm }) },
  llmAttention: { create: () => llmAttentionCondenser({ ...sizes, llm }), bound: 12 },
  slidingWindow: {
    create: () =>
      slidingWindowCondenser({
        llm,
        compactionInterval: 1,
        overlapSize: 1,
        tokenThreshold: 2_000,
        eventRetentionSize: 2,
        maxSummaries: 2,
      }),
  },
  pipeline: {
    create: () => pipelineCondenser([observationMaskingCondenser(masks), extractiveSummaryCondenser(sizes)]),
    bound: 12,
  },
  priced: {
    create: () =>
      pricedCondenser({
        prices: { read: 1, write: 1 },
        stages: [
          digestCondenser({
            maxSize: 1_000_000,
            keepFirst: 2,
            targetTokens: 800,
            maxFactTokens: 200,
            maxLineTokens: 450,
          }),
        ],
      }),
  },
};
