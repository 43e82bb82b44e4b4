import { estimateTextTokens } from '@palimpsest/events';
import type { ToolDefinition } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import type { View } from '@palimpsest/view';
import { missingWords } from '../model/composition.js';
import type { StandingWords } from '../model/standing-words.js';

/**
 * The window that a condenser plans with: smaller than the model's if the model reads less input than its window holds. Unit:
 * tokens.
 */
export function usableWindow({ contextWindow, facts }: LLM, maxOutputTokens: number | undefined): number | undefined {
  const { maxInputTokens } = facts ?? {};
  if (contextWindow === undefined || maxInputTokens === undefined) return contextWindow;
  return Math.min(contextWindow, maxInputTokens + (maxOutputTokens ?? 0));
}

/**
 * The size of what is sent beside the view. Unit: tokens, as the view estimates. 0 when the view has a system prompt with the
 * tools, as in the log of a `Conversation`, and no words are missing from it.
 */
export function tokensBesideView(view: View, tools: readonly ToolDefinition[], words: StandingWords): number {
  const { systemPrompt, userMessages } = missingWords(view, words);
  const missing = systemPrompt === undefined ? userMessages : [systemPrompt, ...userMessages];
  const added = missing.reduce((sum, event) => sum + view.tokensOf(event), 0);
  if (tools.length === 0) return added;
  const counted = systemPrompt === undefined ? view.events : [systemPrompt];
  for (const event of counted) if (event.type === 'system-prompt' && (event.tools?.length ?? 0) > 0) return added;
  return added + Math.ceil(estimateTextTokens(JSON.stringify(tools)));
}
