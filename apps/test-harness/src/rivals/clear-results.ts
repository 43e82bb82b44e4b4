import { isToolResult } from '@palimpsest/events';
import type { Condensation } from '@palimpsest/events';
import { condensation, newestStep, NoCondensationAvailableError } from '@palimpsest/view';
import type { CondensationOptions, View } from '@palimpsest/view';
import type { Rival, RivalName } from './rival.js';

/**
 * Once the history holds more than 100,000 tokens, each request shows the results of the newest three tool uses alone. The server
 * decides at each request anew and is sent the whole history, so what was above the trigger once stays above it.
 *
 * Simplified: the results of the newest step are shown once in any case. The placeholder is ours: the server's is not documented.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/context-editing: `clear_tool_uses_20250919` with its defaults, without
 *   `clear_at_least`
 */
export const anthropicClearToolUses = clearsOldResults('rival:anthropic-clear-tool-uses', {
  placeholder: '[cleared to save context]',
  staysTriggered: true,
});

/**
 * A policy of LangChain. When the history holds more than 100,000 tokens, all results but the newest three are cleared.
 * They stay cleared, so it acts again when the history has grown to 100,000 tokens again.
 *
 * Simplified: the results of the newest step are shown once in any case.
 *
 * @see `contextEditingMiddleware` with `ClearToolUsesEdit` of langchain 1.5.14, at 30f1c224, with its defaults
 */
export const langchainClearToolUses = clearsOldResults('rival:langchain-clear-tool-uses', {
  placeholder: '[cleared]',
  staysTriggered: false,
});

function clearsOldResults(
  name: RivalName,
  { placeholder, staysTriggered }: { readonly placeholder: string; readonly staysTriggered: boolean },
): Rival {
  const [triggerTokens, keep] = [100_000, 3];
  return {
    name,
    create: () => ({
      name,
      condense: (view, { fixedTokens = 0, preview } = {}) => {
        const wasTriggered = staysTriggered && view.condensations.length > 0;
        const isTriggered = wasTriggered || view.tokens() + fixedTokens > triggerTokens;
        if (preview === true || !isTriggered) return view;
        return clearResults(view, resultsIn(view).slice(0, -keep), { name, text: placeholder });
      },
    }),
  };
}

/** Returns the indices of the tool results that were not cleared yet, oldest first. */
export function resultsIn(view: View): readonly number[] {
  return [...view.events].flatMap((event, index) => (isToolResult(event) && event.redacted !== true ? [index] : []));
}

/** Replaces results by a text. Those of the newest step stay, because no request has shown them. The view, if none may be cleared. */
export function clearResults(
  view: View,
  results: readonly number[],
  { name, text }: { readonly name: string; readonly text: string },
): View | Condensation {
  const end = newestStep(view).cutPoint;
  const redactions = results.flatMap((index) => {
    const event = view.events.at(index);
    return event === undefined || index >= end ? [] : [{ eventId: event.id, text }];
  });
  return condensed({ view, redactions, metadata: { condenser: name, tokensBefore: view.tokens() } });
}

/** Makes a condensation. The view, if nothing may be condensed. */
export function condensed(options: CondensationOptions): View | Condensation {
  try {
    return condensation(options);
  } catch (error) {
    if (NoCondensationAvailableError.isInstance(error)) return options.view;
    throw error;
  }
}
