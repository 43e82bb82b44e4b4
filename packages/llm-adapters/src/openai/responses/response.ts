import { newEventId } from '@palimpsest/events';
import type OpenAI from 'openai';
import { ServiceUnavailableError } from '../../errors.js';
import { field, textOf } from '../../wire/json-fields.js';
import type { Completion, FinishReason } from '../../llm.js';
import { costOf } from '../../prices.js';
import { estimateUsage } from '../../usage.js';
import { answerOf } from '../../wire/answer-builder.js';
import { finishReasonOf, naturalEnd } from '../../wire/finish-reason.js';
import { openaiUsage } from '../../wire/reported-usage.js';
import { followed } from '../../wire/pieces.js';
import { readResponsesItem } from './reader.js';
import { toolNames } from '../../wire/tool-names.js';
import type { ChatCompletionOptions } from '../chat/response.js';

type Response = OpenAI.Responses.Response;

/** The options of reading a response. */
type ResponseOptions = ChatCompletionOptions;

/**
 * Returns the neutral form of a response of the Responses API. Words and calls keep their order among themselves; each
 * reasoning item keeps its position among them. Tool names become those of the request's tools again.
 *
 * @throws {@link ServiceUnavailableError} when the response holds no answer.
 * @see provider-rules C
 */
export function fromResponse(response: Response, options: ResponseOptions): Completion {
  const { request, model, prices, newId = newEventId } = options;
  const output: unknown = field(response, 'output');
  if (!Array.isArray(output)) {
    throw new ServiceUnavailableError('openai: the response holds no answer', { provider: 'openai' });
  }
  // Every message of an output is from the model.
  const pieces = output.flatMap((item: unknown, index) =>
    readResponsesItem(field(item, 'type') === 'message' ? { ...(item as object), role: 'assistant' } : item).pieces.map(
      (piece) => (index < output.length - 1 ? followed(piece) : piece),
    ),
  );
  const newCallId = () => `call_${newId().replaceAll('-', '')}`;
  const answer = answerOf(pieces, { names: toolNames(request), newCallId });
  const { message } = answer;
  const refused = pieces.some((piece) => piece.type === 'content' && piece.isRefusal === true);
  const reported = openaiUsage(response.usage);
  const providerResponseId = textOf(response.id);
  return {
    ...answer,
    ...(providerResponseId === undefined ? {} : { providerResponseId }),
    usage: reported?.usage ?? estimateUsage(request, message),
    ...(reported === undefined ? { usageIsEstimated: true } : {}),
    finishReason: refused ? 'content-filter' : finishReason(response, message.toolCalls !== undefined),
    model: textOf(response.model) ?? model,
    ...(reported === undefined || prices === undefined ? {} : { costUsd: costOf(reported.usage, prices, reported) }),
  };
}

function finishReason({ status, incomplete_details }: Response, hasCalls: boolean): FinishReason {
  if (textOf(status) === undefined) return naturalEnd(hasCalls);
  return finishReasonOf(status === 'incomplete' ? (textOf(incomplete_details?.reason) ?? status) : status, hasCalls);
}
