import { clearResults, resultsIn } from './clear-results.js';
import type { Rival } from './rival.js';

const [triggerTokens, keep] = [100_000, 3];

/**
 * When the history holds more than 100,000 tokens, all results but the newest three are cleared. They stay cleared, so it acts again when the
 * history has grown to 100,000 tokens again.
 *
 * Simplified: the results of the newest step are shown once in any case.
 *
 * @see `contextEditingMiddleware` with `ClearToolUsesEdit` of langchain 1.5.14, at 30f1c224, with its defaults
 */
export const langchainClearToolUses: Rival = {
  name: 'rival:langchain-clear-tool-uses',
  create: () => ({
    name: langchainClearToolUses.name,
    condense: (view, { fixedTokens = 0, preview } = {}) => {
      if (preview === true || view.tokens() + fixedTokens <= triggerTokens) return view;
      return clearResults(view, resultsIn(view).slice(0, -keep), {
        name: langchainClearToolUses.name,
        text: '[cleared]',
      });
    },
  }),
};
