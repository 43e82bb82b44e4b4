import { isMeaningful, newEventId } from '@palimpsest/events';
import type { AssistantMessage, TextContent, ToolCall } from '@palimpsest/events';
import type OpenAI from 'openai';
import { ServiceUnavailableError } from '../errors.js';
import { field, textOf } from '../http-failure.js';
import type { Completion, CompletionRequest, FinishReason } from '../llm.js';
import { costOf } from '../prices.js';
import type { TokenPrices } from '../prices.js';
import { estimateUsage } from '../usage-estimate.js';
import { receivedArguments, receivedToolName } from '../wire/received-call.js';
import { toolNames } from '../wire/tool-names.js';
import type { ToolNames } from '../wire/tool-names.js';
import { textsIn, thinkingIn } from './content-text.js';
import { reportedUsage } from './reported-usage.js';
import { blocksOfSignatures } from './thought-signatures.js';

type Response = OpenAI.Chat.ChatCompletion;
type Choice = Response['choices'][number];
type WireMessage = OpenAI.Chat.ChatCompletionMessage;

/** What reading a response depends on besides the response. */
export interface ChatCompletionOptions {
  readonly request: CompletionRequest;
  readonly model: string;
  readonly prices?: TokenPrices;
  /** Makes ids where a compatible server gave none. @defaultValue a UUIDv7 */
  readonly newId?: () => string;
}

/**
 * The neutral form of a Chat Completions response. Tool names become those of the request's tools again.
 *
 * @throws {@link ServiceUnavailableError} when the response holds no answer.
 */
export function fromChatCompletion(response: Response, options: ChatCompletionOptions): Completion {
  const { request, model, prices, newId = newEventId } = options;
  // The type promises what servers of others do not keep.
  const choice = (response as Partial<Response> | null)?.choices?.[0];
  if (choice === undefined || typeof choice.message !== 'object' || (choice.message as unknown) === null) {
    throw new ServiceUnavailableError('openai: the response holds no answer', { provider: 'openai' });
  }
  const message = assistantMessage(choice.message, toolNames(request), newId);
  const reported = reportedUsage(response.usage);
  const providerResponseId = textOf(response.id);
  return {
    message,
    ...(providerResponseId === undefined ? {} : { providerResponseId }),
    usage: reported?.usage ?? estimateUsage(request, message),
    ...(reported === undefined ? { usageIsEstimated: true } : {}),
    finishReason: finishReason(choice, message),
    model: textOf(response.model) ?? model,
    ...(reported === undefined || prices === undefined ? {} : { costUsd: costOf(reported.usage, prices, reported) }),
  };
}

function assistantMessage(message: WireMessage, names: ToolNames, newId: () => string): AssistantMessage {
  const content = [message.content, message.refusal].map(textPart).filter(isMeaningful);
  const toolCalls = neutralCalls(message, names, newId);
  const thinkingBlocks = blocksOfSignatures(callsOf(message), content.length);
  const reasoningContent = thinkingIn(message);
  return {
    role: 'assistant',
    content,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(thinkingBlocks.length === 0 ? {} : { thinkingBlocks }),
    ...(reasoningContent === undefined ? {} : { reasoningContent }),
  };
}

/** Parts are pieces of one text: a stream could not tell them apart. */
function textPart(content: unknown): TextContent {
  return { type: 'text', text: textsIn(content).join('') };
}

/** Compatible servers leave ids out, or give one id to all calls of an answer. */
function neutralCalls(message: WireMessage, names: ToolNames, newId: () => string): readonly ToolCall[] {
  const ids = new Set<string>();
  return callsOf(message).map((call) => {
    const called = field(call, 'type') === 'custom' ? field(call, 'custom') : field(call, 'function');
    const given = textOf(field(call, 'id'));
    const id = given !== undefined && !ids.has(given) ? given : `call_${newId().replaceAll('-', '')}`;
    ids.add(id);
    return {
      id,
      name: receivedToolName(field(called, 'name'), names),
      arguments: receivedArguments(field(called, 'arguments') ?? field(called, 'input')),
    };
  });
}

/** The type promises what servers of others do not keep. */
function callsOf(message: WireMessage): readonly NonNullable<WireMessage['tool_calls']>[number][] {
  const calls: unknown = message.tool_calls;
  return Array.isArray(calls) ? (calls as NonNullable<WireMessage['tool_calls']>) : [];
}

function finishReason(choice: Choice, message: AssistantMessage): FinishReason {
  if (textOf(choice.message.refusal) !== undefined) return 'content-filter';
  switch (choice.finish_reason as Choice['finish_reason'] | null | undefined) {
    case 'stop':
      // Compatible servers say `stop` beside calls too.
      return message.toolCalls === undefined ? 'stop' : 'tool-calls';
    case 'tool_calls':
    case 'function_call':
      return 'tool-calls';
    case 'length':
      return 'length';
    case 'content_filter':
      return 'content-filter';
    case undefined:
    case null:
      // Some servers give no reason, and the body was whole.
      return message.toolCalls === undefined ? 'stop' : 'tool-calls';
    default:
      return 'other';
  }
}
