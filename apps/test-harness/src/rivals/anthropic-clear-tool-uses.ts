import { clearResults, resultsIn } from './clear-results.js';
import type { Rival } from './rival.js';

const [triggerTokens, keep] = [100_000, 3];
const placeholder = '[cleared to save context]';

/**
 * Once the history holds more than 100,000 tokens, each request shows the results of the newest three tool uses alone. The server
 * decides at each request anew and is sent the whole history, so what was above the trigger once stays above it.
 *
 * Simplified: the results of the newest step are shown once in any case. The placeholder is ours: the server's is not documented.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/context-editing: `clear_tool_uses_20250919` with its defaults, without
 *   `clear_at_least`
 */
export const anthropicClearToolUses: Rival = {
  name: 'rival:anthropic-clear-tool-uses',
  create: () => ({
    name: anthropicClearToolUses.name,
    condense: (view, { fixedTokens = 0, preview } = {}) => {
      const isTriggered = view.condensations.length > 0 || view.tokens() + fixedTokens > triggerTokens;
      if (preview === true || !isTriggered) return view;
      return clearResults(view, resultsIn(view).slice(0, -keep), {
        name: anthropicClearToolUses.name,
        text: placeholder,
      });
    },
  }),
};
