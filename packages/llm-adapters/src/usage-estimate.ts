import type { AssistantMessage, ContentPart, Message, ToolDefinition, Usage } from '@palimpsest/events';

const charactersPerToken = 4;
const tokensPerMessage = 4;
const tokensPerImage = 1_000;

/**
 * A quick estimate of what a request sends: four characters a token, four tokens for a message's frame, 1,000 for an image.
 * Thinking text counts, signatures and opaque data do not. Unit: tokens.
 */
export function estimateInputTokens(request: {
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolDefinition[];
}): number {
  const { messages, tools = [] } = request;
  const ofTools = tools.reduce(
    (sum, { name, description, inputSchema }) =>
      sum + name.length + description.length + JSON.stringify(inputSchema).length,
    0,
  );
  return messages.reduce(
    (sum, message) => sum + estimateMessageTokens(message),
    Math.ceil(ofTools / charactersPerToken),
  );
}

/** The usage of a call by the same estimate, for providers that report no usage. No tokens count as cached. */
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

function estimateMessageTokens(message: Message): number {
  return tokensPerMessage + Math.ceil(charactersOf(message) / charactersPerToken);
}

function charactersOf(message: Message): number {
  const content = contentCharacters(message.content);
  if (message.role !== 'assistant') return content;
  const calls = (message.toolCalls ?? []).reduce((sum, call) => sum + call.name.length + call.arguments.length, 0);
  const thinking = (message.thinkingBlocks ?? []).reduce(
    (sum, block) => sum + (block.type === 'thinking' ? block.thinking.length : 0),
    message.reasoningContent?.length ?? 0,
  );
  return content + calls + thinking;
}

function contentCharacters(parts: readonly ContentPart[]): number {
  let characters = 0;
  for (const part of parts) {
    // Parts of other kinds are not sent.
    if (part.type === 'text') characters += part.text.length;
    else if (part.type === 'image') characters += tokensPerImage * charactersPerToken;
  }
  return characters;
}
