import type { ToolDefinition } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import type { View } from '@palimpsest/view';

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
 * What is sent beside the view, by the view's own estimate. Unit: tokens. 0 where a system prompt of the view holds the tools,
 * as in every log of a `Conversation`: the view has counted them then.
 */
export function tokensBesideView(view: View, tools: readonly ToolDefinition[]): number {
  if (tools.length === 0) return 0;
  for (const event of view.events) if (event.type === 'system-prompt' && (event.tools?.length ?? 0) > 0) return 0;
  return Math.ceil(JSON.stringify(tools).length / charactersPerToken);
}
