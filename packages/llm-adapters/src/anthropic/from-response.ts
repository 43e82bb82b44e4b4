import type { AssistantMessage, ContentPart, ThinkingBlock, ToolCall, Usage } from '@palimpsest/events';
import type Anthropic from '@anthropic-ai/sdk';
import { ContextWindowExceededError, ServiceUnavailableError } from '../errors.js';
import type { Completion, CompletionRequest, FinishReason } from '../llm.js';
import { costOf } from '../prices.js';
import type { TokenPrices } from '../prices.js';
import { toolNames } from '../wire/tool-names.js';

/** What reading a response depends on besides the response. */
export interface MessageOptions {
  readonly request: CompletionRequest;
  readonly prices?: TokenPrices;
}

/**
 * The neutral form of a Messages response. Tool names become those of the request's tools again.
 *
 * @throws {@link ContextWindowExceededError} when the answer was cut because the window is full;
 *   {@link ServiceUnavailableError} when the response is no message.
 */
export function fromMessage(response: Anthropic.Message, { request, prices }: MessageOptions): Completion {
  // A proxy may answer with anything.
  if (!Array.isArray((response as Partial<Anthropic.Message> | null)?.content)) {
    throw new ServiceUnavailableError('anthropic: the response holds no message', { provider: 'anthropic' });
  }
  const usage = neutralUsage(response.usage);
  if (response.stop_reason === 'model_context_window_exceeded') {
    throw new ContextWindowExceededError('anthropic: the window was full before the answer ended', {
      provider: 'anthropic',
      statusCode: 200,
      // A shorter answer would not have ended either: only a shorter history leaves it room.
      kind: 'input',
      inputTokens: usage.uncachedInputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
    });
  }
  return {
    message: assistantMessage(response, request),
    responseId: response.id,
    usage,
    finishReason: finishReason(response.stop_reason),
    model: response.model,
    ...(prices === undefined ? {} : { costUsd: costOf(usage, prices) }),
  };
}

function assistantMessage(response: Anthropic.Message, request: CompletionRequest): AssistantMessage {
  const names = toolNames(request);
  const content: ContentPart[] = [];
  const toolCalls: ToolCall[] = [];
  const thinkingBlocks: ThinkingBlock[] = [];
  for (const block of response.content) {
    switch (block.type) {
      case 'text':
        if (block.text !== '') content.push({ type: 'text', text: block.text });
        break;
      case 'tool_use':
        toolCalls.push({
          id: block.id,
          name: names.fromWire(block.name),
          arguments: JSON.stringify(block.input ?? {}),
        });
        break;
      case 'thinking':
        thinkingBlocks.push({ type: 'thinking', thinking: block.thinking, signature: block.signature });
        break;
      case 'redacted_thinking':
        thinkingBlocks.push({ type: 'redacted-thinking', data: block.data });
        break;
      default:
      // What the provider's own tools leave behind; no request of ours asks for them.
    }
  }
  return {
    role: 'assistant',
    content,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(thinkingBlocks.length === 0 ? {} : { thinkingBlocks }),
  };
}

/** `input_tokens` leaves out what was cached. @see provider-protocol A.7 */
function neutralUsage(usage: Anthropic.Usage): Usage {
  const reasoningTokens = usage.output_tokens_details?.thinking_tokens;
  return {
    uncachedInputTokens: usage.input_tokens,
    cacheReadTokens: usage.cache_read_input_tokens ?? 0,
    cacheWriteTokens: usage.cache_creation_input_tokens ?? 0,
    outputTokens: usage.output_tokens,
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
  };
}

function finishReason(reason: Anthropic.Message['stop_reason']): FinishReason {
  switch (reason) {
    case 'end_turn':
    case 'stop_sequence':
      return 'stop';
    case 'tool_use':
      return 'tool-calls';
    case 'max_tokens':
      return 'length';
    case 'refusal':
      return 'content-filter';
    default:
      return 'other';
  }
}
