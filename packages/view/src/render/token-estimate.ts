import { estimateTextTokens, hostFile } from '@palimpsest/events';
import type { ContentPart, LLMConvertibleEvent } from '@palimpsest/events';
import { hasUnknownThinking } from '../fold/unknown-kinds.js';

/** Size of one stored event for a model. Unit: tokens, as the function estimates them. */
export type EstimateTokens = (event: LLMConvertibleEvent) => number;

const tokensPerEvent = 4;
const tokensPerImage = 1_000;

/** The sizes of events that cannot change, as long as those live: a view that was edited or taken again reads no text twice. */
const sizes = new WeakMap<LLMConvertibleEvent, number>();

/**
 * Returns a quick estimate: {@link estimateTextTokens} of the texts, four tokens for each event's frame, 1,000 for an image, and
 * for a file of the host what it says that it weighs. Thinking text counts, signatures and opaque data do not. In code sessions
 * it is within 3 % of the o200k vocabulary in the mean. For other tokenizers calibrate it with reported usage.
 */
export function estimateTokens(event: LLMConvertibleEvent): number {
  const known = sizes.get(event);
  if (known !== undefined) return known;
  const size = tokensPerEvent + Math.ceil(tokensOf(event));
  if (Object.isFrozen(event)) sizes.set(event, size);
  return size;
}

/** Returns the same estimate, computed once for each event object as long as that lives. */
export function rememberedSizes(estimate: EstimateTokens): EstimateTokens {
  if (estimate === estimateTokens) return estimate;
  const remembered = new WeakMap<LLMConvertibleEvent, number>();
  return (event) => {
    const known = remembered.get(event);
    if (known !== undefined) return known;
    const size = estimate(event);
    remembered.set(event, size);
    return size;
  };
}

function tokensOf(event: LLMConvertibleEvent): number {
  switch (event.type) {
    case 'system-prompt':
      return (
        estimateTextTokens(event.systemPrompt) +
        estimateTextTokens(event.dynamicContext ?? '') +
        (event.tools === undefined ? 0 : estimateTextTokens(JSON.stringify(event.tools)))
      );
    case 'message':
      return contentTokens(event.content) + contentTokens(event.extendedContent) + thinkingTokens(event);
    case 'action':
      return (
        contentTokens(event.thought) +
        estimateTextTokens(event.toolCall.name) +
        estimateTextTokens(event.toolCall.arguments) +
        thinkingTokens(event)
      );
    case 'observation':
      return contentTokens(event.content) + contentTokens(event.extendedContent);
    case 'user-reject-observation':
      return estimateTextTokens(event.rejectionReason);
    case 'agent-error':
      return estimateTextTokens(event.error);
    case 'condensation-summary':
      return estimateTextTokens(event.summary);
  }
}

function contentTokens(parts: readonly ContentPart[] | undefined): number {
  if (parts === undefined) return 0;
  let tokens = 0;
  for (const part of parts) tokens += part.type === 'text' ? estimateTextTokens(part.text) : mediaTokens(part);
  return tokens;
}

/** Parts of unknown kinds are not sent. */
function mediaTokens(part: ContentPart): number {
  return part.type === 'image' ? tokensPerImage : (hostFile(part)?.tokens ?? 0);
}

/**
 * Returns the part of {@link estimateTokens} that is no text: images, and files of the host. No tokenizer makes them
 * larger or smaller.
 */
export function estimateMediaTokens(event: LLMConvertibleEvent): number {
  switch (event.type) {
    case 'message':
    case 'observation':
      return [...event.content, ...(event.extendedContent ?? [])].reduce((sum, part) => sum + mediaTokens(part), 0);
    case 'action':
      return event.thought.reduce((sum, part) => sum + mediaTokens(part), 0);
    default:
      return 0;
  }
}

function thinkingTokens(event: Extract<LLMConvertibleEvent, { type: 'message' | 'action' }>): number {
  if (hasUnknownThinking(event)) return 0;
  let tokens = estimateTextTokens(event.reasoningContent ?? '');
  for (const block of event.thinkingBlocks ?? []) {
    if (block.type === 'thinking') tokens += estimateTextTokens(block.thinking);
  }
  return tokens;
}
