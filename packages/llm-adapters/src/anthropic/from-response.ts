import { isMeaningful, newEventId } from '@palimpsest/events';
import type { AssistantMessage, ContentPart, ThinkingBlock, ToolCall } from '@palimpsest/events';
import type Anthropic from '@anthropic-ai/sdk';
import { ContextWindowExceededError, ServiceUnavailableError } from '../errors.js';
import { field, textOf } from '../http-failure.js';
import type { Completion, CompletionRequest, FinishReason } from '../llm.js';
import { costOf } from '../prices.js';
import type { TokenPrices } from '../prices.js';
import { estimateUsage } from '../usage-estimate.js';
import { receivedArguments, receivedToolName } from '../wire/received-call.js';
import { toLLMError } from './map-error.js';
import { reportedUsage } from './reported-usage.js';
import { requestPlan } from './request-plan.js';
import type { MessagesOptions, RequestPlan } from './request-plan.js';

/** What reading a response depends on besides the response. */
export interface MessageOptions extends Partial<MessagesOptions> {
  readonly request: CompletionRequest;
  /** @defaultValue not known, and then the completion carries no cost */
  readonly prices?: TokenPrices;
}

/**
 * The neutral form of a Messages response. Give it the options with which the request was written. Tool names become those of
 * the request's tools again, and the input of a tool that takes the answer becomes the answer's text. Words stand before calls;
 * each block of thinking says in `position` where it stood. Blank text and what the provider's own tools leave are left out;
 * so is thinking that no later request could send back, because this one held a sentence or a tool of the adapter's own that it
 * is bound to.
 *
 * @throws {@link ContextWindowExceededError} when the answer was cut because the window is full;
 *   {@link ServiceUnavailableError} when the response is no message; the error that stands in a response that is one.
 */
export function fromMessage(response: Anthropic.Message, options: MessageOptions): Completion {
  const { request, prices, ...rest } = options;
  // A proxy may answer with anything.
  const model = options.model ?? (response as Partial<Anthropic.Message> | null)?.model ?? '';
  return completionOf(response, requestPlan(request, { ...rest, model }), prices);
}

/** The completion that a response is, read with the plan of its request. */
export function completionOf(
  response: Anthropic.Message,
  plan: RequestPlan,
  prices: TokenPrices | undefined,
): Completion {
  if (isErrorAnswer(response)) throw toLLMError({ error: response });
  if (!Array.isArray((response as Partial<Anthropic.Message> | null)?.content)) {
    throw new ServiceUnavailableError('anthropic: the response holds no message', { provider: 'anthropic' });
  }
  const message = assistantMessage(response, plan);
  const counted = response.usage as Anthropic.Usage | undefined;
  const reported = counted === undefined ? undefined : reportedUsage(counted);
  const usage = reported?.usage ?? estimateUsage(plan.request, message);
  if (response.stop_reason === 'model_context_window_exceeded') {
    throw new ContextWindowExceededError('anthropic: the window was full before the answer ended', {
      provider: 'anthropic',
      statusCode: 200,
      // A shorter answer would not have ended either: only a shorter history leaves it room.
      kind: 'input',
      inputTokens: usage.uncachedInputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
    });
  }
  const providerResponseId = textOf(response.id);
  return {
    message,
    ...(providerResponseId === undefined ? {} : { providerResponseId }),
    usage,
    finishReason: finishReason(response.stop_reason, message),
    model: response.model,
    // Servers that speak this protocol need not count.
    ...(reported === undefined ? { usageIsEstimated: true } : {}),
    ...(prices === undefined || reported === undefined ? {} : { costUsd: costOf(usage, prices, reported.details) }),
  };
}

/** True for an error that a proxy sends with status 200. */
export function isErrorAnswer(response: unknown): boolean {
  return field(response, 'type') === 'error';
}

function assistantMessage(response: Anthropic.Message, plan: RequestPlan): AssistantMessage {
  const content: ContentPart[] = [];
  const toolCalls: ToolCall[] = [];
  const thinkingBlocks: ThinkingBlock[] = [];
  const position = () => {
    const before = content.length + toolCalls.length;
    return before === 0 ? {} : { position: before };
  };
  for (const block of response.content) {
    switch (block.type) {
      case 'text': {
        const part: ContentPart = { type: 'text', text: block.text };
        if (isMeaningful(part)) content.push(part);
        break;
      }
      case 'tool_use':
        if (plan.answer !== undefined && block.name === plan.answer.wireName) {
          content.push({ type: 'text', text: plan.answer.answerOf(block.input) });
        } else {
          toolCalls.push({
            id: textOf(block.id) ?? `toolu_${newEventId().replaceAll('-', '')}`,
            name: receivedToolName(block.name, plan.names),
            arguments: receivedArguments(block.input),
          });
        }
        break;
      case 'thinking':
        thinkingBlocks.push({ type: 'thinking', thinking: block.thinking, signature: block.signature, ...position() });
        break;
      case 'redacted_thinking':
        thinkingBlocks.push({ type: 'redacted-thinking', data: block.data, ...position() });
        break;
      default:
      // What the provider's own tools leave behind; no request of ours asks for them.
    }
  }
  return {
    role: 'assistant',
    content,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(thinkingBlocks.length === 0 || plan.unbindsAnswer ? {} : { thinkingBlocks }),
  };
}

/** `other` is `pause_turn`, which only the provider's own tools lead to, and what this version does not know. */
function finishReason(reason: Anthropic.Message['stop_reason'], { toolCalls }: AssistantMessage): FinishReason {
  switch (reason) {
    case 'end_turn':
    case 'stop_sequence':
      return 'stop';
    case 'tool_use':
      // A call of the tool that takes the answer is an answer.
      return toolCalls === undefined ? 'stop' : 'tool-calls';
    case 'max_tokens':
      return 'length';
    case 'refusal':
      return 'content-filter';
    default:
      return 'other';
  }
}
