import { isMeaningful, newEventId } from '@palimpsest/events';
import type { AssistantMessage, ContentPart, ReasoningItem, ToolCall } from '@palimpsest/events';
import type OpenAI from 'openai';
import { ServiceUnavailableError } from '../../errors.js';
import { field, textOf } from '../../http-failure.js';
import type { Completion, FinishReason } from '../../llm.js';
import { costOf } from '../../prices.js';
import { estimateUsage } from '../../usage-estimate.js';
import { receivedArguments, receivedToolName } from '../../wire/received-call.js';
import { toolNames } from '../../wire/tool-names.js';
import type { ToolNames } from '../../wire/tool-names.js';
import type { ChatCompletionOptions } from '../from-response.js';
import { reportedUsage } from '../reported-usage.js';

type Response = OpenAI.Responses.Response;

/** What reading a response depends on besides the response. */
export type ResponseOptions = ChatCompletionOptions;

/**
 * The neutral form of a response of the Responses API. Words and calls keep their order among themselves; each reasoning item
 * keeps its position among them. Tool names become those of the request's tools again.
 *
 * @throws {@link ServiceUnavailableError} when the response holds no answer.
 * @see provider-protocol section C
 */
export function fromResponse(response: Response, options: ResponseOptions): Completion {
  const { request, model, prices, newId = newEventId } = options;
  const output: unknown = field(response, 'output');
  if (!Array.isArray(output)) {
    throw new ServiceUnavailableError('openai: the response holds no answer', { provider: 'openai' });
  }
  const { message, refused } = messageOfItems(output, toolNames(request), newId);
  const reported = reportedUsage(response.usage);
  const providerResponseId = textOf(response.id);
  return {
    message,
    ...(providerResponseId === undefined ? {} : { providerResponseId }),
    usage: reported?.usage ?? estimateUsage(request, message),
    ...(reported === undefined ? { usageIsEstimated: true } : {}),
    finishReason: refused ? 'content-filter' : finishReason(response, message),
    model: textOf(response.model) ?? model,
    ...(reported === undefined || prices === undefined ? {} : { costUsd: costOf(reported.usage, prices, reported) }),
  };
}

/** One assistant message of the items of an answer. */
export function messageOfItems(
  items: readonly unknown[],
  names: Pick<ToolNames, 'fromWire'>,
  newId: () => string,
): { readonly message: AssistantMessage; readonly refused: boolean } {
  const content: ContentPart[] = [];
  const toolCalls: ToolCall[] = [];
  const reasoning: ReasoningItem[] = [];
  let refused = false;
  for (const item of items) {
    switch (field(item, 'type')) {
      case 'message': {
        const parts = field(item, 'content');
        for (const part of Array.isArray(parts) ? parts : []) {
          const refusal = textOf(field(part, 'refusal'));
          refused ||= refusal !== undefined;
          const text = textOf(field(part, 'text')) ?? refusal;
          if (text !== undefined && isMeaningful({ type: 'text', text })) content.push({ type: 'text', text });
        }
        break;
      }
      case 'function_call':
      case 'custom_tool_call':
        toolCalls.push(neutralCall(item, names, newId));
        break;
      case 'reasoning':
        reasoning.push(neutralReasoning(item, content.length + toolCalls.length));
        break;
    }
  }
  const message: AssistantMessage = {
    role: 'assistant',
    content,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(reasoning.length === 0 ? {} : { reasoningItems: reasoning }),
  };
  return { message, refused };
}

function neutralCall(item: unknown, names: Pick<ToolNames, 'fromWire'>, newId: () => string): ToolCall {
  const itemId = textOf(field(item, 'id'));
  const text = field(item, 'type') === 'custom_tool_call' ? field(item, 'input') : field(item, 'arguments');
  return {
    id: textOf(field(item, 'call_id')) ?? itemId ?? `call_${newId().replaceAll('-', '')}`,
    name: receivedToolName(field(item, 'name'), names),
    arguments: receivedArguments(text),
    ...(itemId === undefined ? {} : { itemId }),
  };
}

/** An item of reasoning, to be sent back as it is. */
export function neutralReasoning(item: unknown, position: number): ReasoningItem {
  const id = textOf(field(item, 'id'));
  const content = field(item, 'content');
  const encryptedContent = textOf(field(item, 'encrypted_content'));
  return {
    ...(id === undefined ? {} : { id }),
    summary: textsOf(field(item, 'summary')),
    ...(Array.isArray(content) ? { content: textsOf(content) } : {}),
    ...(encryptedContent === undefined ? {} : { encryptedContent }),
    ...(position === 0 ? {} : { position }),
  };
}

function textsOf(parts: unknown): readonly string[] {
  return (Array.isArray(parts) ? parts : []).map((part: unknown) => textOf(field(part, 'text')) ?? '');
}

function finishReason({ status, incomplete_details }: Response, message: AssistantMessage): FinishReason {
  if (status === 'incomplete') {
    switch (incomplete_details?.reason) {
      case 'max_output_tokens':
        return 'length';
      case 'content_filter':
        return 'content-filter';
      default:
        return 'other';
    }
  }
  if (status !== 'completed' && status !== undefined) return 'other';
  return message.toolCalls === undefined ? 'stop' : 'tool-calls';
}
