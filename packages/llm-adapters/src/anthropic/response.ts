import { newEventId } from '@palimpsest/events';
import type Anthropic from '@anthropic-ai/sdk';
import { ContextWindowExceededError, ServiceUnavailableError } from '../errors.js';
import { field, textOf } from '../wire/json-fields.js';
import type { Completion, CompletionRequest } from '../llm.js';
import { costOf } from '../prices.js';
import type { TokenPrices } from '../prices.js';
import { estimateUsage } from '../usage.js';
import { anthropicBlocks, readAnthropicBlock } from './reader.js';
import { answerOf } from '../wire/answer-builder.js';
import type { Answer } from '../wire/answer-builder.js';
import { finishReasonOf } from '../wire/finish-reason.js';
import { followed, textPiece } from '../wire/pieces.js';
import type { Piece } from '../wire/pieces.js';
import { anthropicUsage } from '../wire/reported-usage.js';
import { toLLMError } from './map-error.js';
import { requestPlan } from './request.js';
import type { MessagesOptions, RequestPlan } from './request.js';

/** The options of reading a response. */
export interface MessageOptions extends Partial<MessagesOptions> {
  readonly request: CompletionRequest;
  /** @defaultValue unknown: the completion carries no cost */
  readonly prices?: TokenPrices;
}

/**
 * Returns the neutral form of a Messages response. Give it the options with which the request was written. Tool names become
 * those of the request's tools again, and the input of a tool that takes the answer becomes the answer's text. Text comes before
 * calls. Each thinking block keeps its position in `position`. Blank text and the blocks of the provider's own tools are left
 * out. Thinking is also left out if it is bound to a sentence or a tool that the adapter added to this request, because no later
 * request could send it back.
 *
 * @throws {@link ContextWindowExceededError} when the answer was cut because the window is full.
 * @throws {@link ServiceUnavailableError} when the response is not a message.
 * @throws the error of the response when the response is an error.
 */
export function fromMessage(response: Anthropic.Message, options: MessageOptions): Completion {
  const { request, prices, ...rest } = options;
  // A proxy can answer with any JSON value.
  const model = options.model ?? (response as Partial<Anthropic.Message> | null)?.model ?? '';
  return completionOf(response, requestPlan(request, { ...rest, model }), prices);
}

/** Reads the completion from a response, with the plan of its request. */
export function completionOf(
  response: Anthropic.Message,
  plan: RequestPlan,
  prices: TokenPrices | undefined,
): Completion {
  if (isErrorAnswer(response)) throw toLLMError({ error: response });
  if (!Array.isArray((response as Partial<Anthropic.Message> | null)?.content)) {
    throw new ServiceUnavailableError('anthropic: the response holds no message', { provider: 'anthropic' });
  }
  const answer = answerIn(response, plan);
  const { message } = answer;
  const reported = anthropicUsage(response.usage);
  const usage = reported?.usage ?? estimateUsage(plan.request, message);
  if (response.stop_reason === 'model_context_window_exceeded') {
    throw new ContextWindowExceededError('anthropic: the window was full before the answer ended', {
      provider: 'anthropic',
      statusCode: 200,
      // The answer was cut by the window, not by its own limit: only a shorter history leaves it room.
      kind: 'input',
      inputTokens: usage.uncachedInputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
    });
  }
  const providerResponseId = textOf(response.id);
  return {
    ...answer,
    ...(providerResponseId === undefined ? {} : { providerResponseId }),
    usage,
    // A call of the answer tool counts as an answer, not as a tool call.
    finishReason: finishReasonOf(response.stop_reason, message.toolCalls !== undefined),
    model: response.model,
    // Other servers with this protocol may report no usage.
    ...(reported === undefined ? { usageIsEstimated: true } : {}),
    ...(prices === undefined || reported === undefined ? {} : { costUsd: costOf(usage, prices, reported) }),
  };
}

/** Returns true for an error that a proxy sends with status 200. */
export function isErrorAnswer(response: unknown): boolean {
  return field(response, 'type') === 'error';
}

function answerIn(response: Anthropic.Message, plan: RequestPlan): Answer {
  const blocks = anthropicBlocks(response.content);
  const pieces = blocks.flatMap((block, index) =>
    readAnthropicBlock(block, `content.${index}`)
      .map((piece) => (index < blocks.length - 1 ? followed(piece) : piece))
      .map((piece) => answerInTool(piece, plan)),
  );
  const newCallId = () => `toolu_${newEventId().replaceAll('-', '')}`;
  const { message, ...states } = answerOf(pieces, { names: plan.names, newCallId });
  const { thinkingBlocks, ...plain } = message;
  return { message: thinkingBlocks === undefined || plan.unbindsAnswer ? plain : message, ...states };
}

/** Turns a call of the answer tool: it becomes the answer's text. */
function answerInTool(piece: Piece, { answer }: RequestPlan): Piece {
  if (piece.type !== 'call' || answer === undefined || piece.name !== answer.wireName) return piece;
  return textPiece(answer.answerOf(piece.arguments));
}
