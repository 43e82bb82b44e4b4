import { newEventId } from '@palimpsest/events';
import type OpenAI from 'openai';
import { ServiceUnavailableError } from '../../errors.js';
import { answerOf } from '../../wire/answer-builder.js';
import type { Answer } from '../../wire/answer-builder.js';
import { readChatMessage } from './reader.js';
import { finishReasonOf, naturalEnd } from '../../wire/finish-reason.js';
import { textOf } from '../../wire/json-fields.js';
import { textPiece } from '../../wire/pieces.js';
import type { Piece } from '../../wire/pieces.js';
import { openaiUsage } from '../../wire/reported-usage.js';
import type { Completion, CompletionRequest, FinishReason } from '../../llm.js';
import { costOf } from '../../prices.js';
import type { TokenPrices } from '../../prices.js';
import { estimateUsage } from '../../usage.js';
import { toolNames } from '../../wire/tool-names.js';
import type { ToolNames } from '../../wire/tool-names.js';

type Response = OpenAI.Chat.ChatCompletion;
type Choice = Response['choices'][number];
type WireMessage = OpenAI.Chat.ChatCompletionMessage;

/** The options of reading a response. */
export interface ChatCompletionOptions {
  readonly request: CompletionRequest;
  readonly model: string;
  readonly prices?: TokenPrices;
  /** Makes an id if a compatible server sent none. @defaultValue a UUIDv7 */
  readonly newId?: () => string;
}

/**
 * Returns the neutral form of a Chat Completions response. Tool names become those of the request's tools again.
 *
 * @throws {@link ServiceUnavailableError} when the response holds no answer.
 */
export function fromChatCompletion(response: Response, options: ChatCompletionOptions): Completion {
  const { request, model, prices, newId = newEventId } = options;
  // Other servers do not always send what the type promises.
  const choice = (response as Partial<Response> | null)?.choices?.[0];
  if (choice === undefined || typeof choice.message !== 'object' || (choice.message as unknown) === null) {
    throw new ServiceUnavailableError('openai: the response holds no answer', { provider: 'openai' });
  }
  const answer = answerIn(choice.message, toolNames(request), newId);
  const { message } = answer;
  const reported = openaiUsage(response.usage);
  const providerResponseId = textOf(response.id);
  return {
    ...answer,
    ...(providerResponseId === undefined ? {} : { providerResponseId }),
    usage: reported?.usage ?? estimateUsage(request, message),
    ...(reported === undefined ? { usageIsEstimated: true } : {}),
    finishReason: finishReason(choice, message.toolCalls !== undefined),
    model: textOf(response.model) ?? model,
    ...(reported === undefined || prices === undefined ? {} : { costUsd: costOf(reported.usage, prices, reported) }),
  };
}

/** Reads the answer of a choice. Parts are joined to one text, because a stream does not separate them. */
function answerIn(message: WireMessage, names: ToolNames, newId: () => string): Answer {
  const words: string[] = [];
  const rest: Piece[] = [];
  for (const piece of readChatMessage({ ...message, role: 'assistant' }).pieces) {
    const isWords = piece.type === 'content' && piece.isStandIn !== true && piece.isRefusal !== true;
    if (!isWords) rest.push(piece);
    else if (piece.part.type === 'text') words.push(piece.part.text);
  }
  return answerOf([textPiece(words.join('')), ...rest], {
    names,
    newCallId: () => `call_${newId().replaceAll('-', '')}`,
  });
}

function finishReason({ message, finish_reason }: Choice, hasCalls: boolean): FinishReason {
  if (textOf(message.refusal) !== undefined) return 'content-filter';
  // Some servers send no finish reason although the body is complete.
  return textOf(finish_reason) === undefined ? naturalEnd(hasCalls) : finishReasonOf(finish_reason, hasCalls);
}
