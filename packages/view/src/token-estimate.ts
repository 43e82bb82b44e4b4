import type { ContentPart, LLMConvertibleEvent } from '@palimpsest/events';
import { hasUnknownThinking } from './unknown-kinds.js';

/** Size of one stored event for a model. Unit: tokens, as the function estimates them. */
export type EstimateTokens = (event: LLMConvertibleEvent) => number;

const charactersPerToken = 4;
const tokensPerEvent = 4;
const tokensPerImage = 1_000;

/**
 * A quick estimate: four characters a token, four tokens for each event's frame, 1,000 for an image. Thinking text counts,
 * signatures and opaque data do not. Calibrate it with reported usage if precision matters.
 */
export function estimateTokens(event: LLMConvertibleEvent): number {
  return tokensPerEvent + Math.ceil(charactersOf(event) / charactersPerToken);
}

function charactersOf(event: LLMConvertibleEvent): number {
  switch (event.type) {
    case 'system-prompt':
      return (
        event.systemPrompt.length +
        (event.dynamicContext?.length ?? 0) +
        (event.tools === undefined ? 0 : JSON.stringify(event.tools).length)
      );
    case 'message':
      return contentCharacters(event.content) + contentCharacters(event.extendedContent) + thinkingCharacters(event);
    case 'action':
      return (
        contentCharacters(event.thought) +
        event.toolCall.name.length +
        event.toolCall.arguments.length +
        thinkingCharacters(event)
      );
    case 'observation':
      return contentCharacters(event.content) + contentCharacters(event.extendedContent);
    case 'user-reject-observation':
      return event.rejectionReason.length;
    case 'agent-error':
      return event.error.length;
    case 'condensation-summary':
      return event.summary.length;
  }
}

function contentCharacters(parts: readonly ContentPart[] | undefined): number {
  if (parts === undefined) return 0;
  let characters = 0;
  for (const part of parts) {
    // Parts of unknown kinds are not sent.
    if (part.type === 'text') characters += part.text.length;
    else if (part.type === 'image') characters += tokensPerImage * charactersPerToken;
  }
  return characters;
}

function thinkingCharacters(event: Extract<LLMConvertibleEvent, { type: 'message' | 'action' }>): number {
  if (hasUnknownThinking(event)) return 0;
  let characters = event.reasoningContent?.length ?? 0;
  for (const block of event.thinkingBlocks ?? []) if (block.type === 'thinking') characters += block.thinking.length;
  return characters;
}
