import { estimateTextTokens } from '@palimpsest/events';
import type { AssistantMessage, ContentPart, Message, ToolDefinition, Usage } from '@palimpsest/events';
import { remembering } from './memo.js';

/** The usage of no call at all. */
export const noUsage: Usage = { uncachedInputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };

/** Returns the sum. `reasoningTokens` is present if any of the usages has it. */
export function sumUsage(usages: Iterable<Usage>): Usage {
  let sum = noUsage;
  for (const usage of usages) {
    const reasoning =
      sum.reasoningTokens === undefined && usage.reasoningTokens === undefined
        ? {}
        : { reasoningTokens: (sum.reasoningTokens ?? 0) + (usage.reasoningTokens ?? 0) };
    sum = {
      uncachedInputTokens: sum.uncachedInputTokens + usage.uncachedInputTokens,
      cacheReadTokens: sum.cacheReadTokens + usage.cacheReadTokens,
      cacheWriteTokens: sum.cacheWriteTokens + usage.cacheWriteTokens,
      outputTokens: sum.outputTokens + usage.outputTokens,
      ...reasoning,
    };
  }
  return sum;
}

/** Returns all input tokens, cached or not. Unit: tokens. */
export function totalInputTokens(usage: Usage): number {
  return usage.uncachedInputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

const tokensPerMessage = 4;
const tokensPerImage = 1_000;

/**
 * Returns a quick estimate of what a request sends: the view's estimate of the texts, four tokens for a message's
 * frame, 1,000 for an image. Thinking text counts, signatures and opaque data do not. Unit: tokens.
 */
export function estimateInputTokens(request: {
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolDefinition[];
}): number {
  const { messages, tools = [] } = request;
  const ofTools = tools.reduce(
    (sum, { name, description, inputSchema }) =>
      sum +
      estimateTextTokens(name) +
      estimateTextTokens(description) +
      estimateTextTokens(JSON.stringify(inputSchema)),
    0,
  );
  return messages.reduce((sum, message) => sum + estimateMessageTokens(message), Math.ceil(ofTools));
}

/** Returns the usage of a call by the same estimate, for providers that report no usage. No tokens count as cached. */
export function estimateUsage(
  request: { readonly messages: readonly Message[]; readonly tools?: readonly ToolDefinition[] },
  answer: AssistantMessage,
): Usage {
  return {
    uncachedInputTokens: estimateInputTokens(request),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: estimateMessageTokens(answer),
  };
}

/** A history grows by a few messages between two calls. */
const estimateMessageTokens = remembering((message: Message) => tokensPerMessage + Math.ceil(tokensOf(message)));

function tokensOf(message: Message): number {
  const content = contentTokens(message.content);
  if (message.role !== 'assistant') return content;
  const calls = (message.toolCalls ?? []).reduce(
    (sum, call) => sum + estimateTextTokens(call.name) + estimateTextTokens(call.arguments),
    0,
  );
  const thinking = (message.thinkingBlocks ?? []).reduce(
    (sum, block) => sum + (block.type === 'thinking' ? estimateTextTokens(block.thinking) : 0),
    estimateTextTokens(message.reasoningContent ?? ''),
  );
  return content + calls + thinking;
}

function contentTokens(parts: readonly ContentPart[]): number {
  let tokens = 0;
  for (const part of parts) {
    // Parts of other kinds are not sent.
    if (part.type === 'text') tokens += estimateTextTokens(part.text);
    else if (part.type === 'image') tokens += tokensPerImage;
  }
  return tokens;
}
