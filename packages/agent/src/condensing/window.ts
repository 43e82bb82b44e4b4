import type { ToolDefinition } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import type { View } from '@palimpsest/view';
import { missingWords } from '../model/composition.js';
import type { StandingWords } from '../model/standing-words.js';

/**
 * The window with which a condenser reckons: less than the model's where that reads less than its window holds. Unit: tokens.
 */
export function usableWindow({ contextWindow, facts }: LLM, maxOutputTokens: number | undefined): number | undefined {
  const { maxInputTokens } = facts ?? {};
  if (contextWindow === undefined || maxInputTokens === undefined) return contextWindow;
  return Math.min(contextWindow, maxInputTokens + (maxOutputTokens ?? 0));
}

/** As the view estimates. */
const charactersPerToken = 4;

/**
 * What is sent beside the view, by the view's own estimate. Unit: tokens. 0 where a system prompt of the view holds the tools, as
 * in every log of a `Conversation`, and nothing is missing: the view has counted all of it then.
 */
export function tokensBesideView(view: View, tools: readonly ToolDefinition[], words: StandingWords): number {
  const { systemPrompt, userMessages } = missingWords(view, words);
  const missing = systemPrompt === undefined ? userMessages : [systemPrompt, ...userMessages];
  const added = missing.reduce((sum, event) => sum + view.tokensOf(event), 0);
  if (tools.length === 0) return added;
  const counted = systemPrompt === undefined ? view.events : [systemPrompt];
  for (const event of counted) if (event.type === 'system-prompt' && (event.tools?.length ?? 0) > 0) return added;
  return added + Math.ceil(JSON.stringify(tools).length / charactersPerToken);
}
