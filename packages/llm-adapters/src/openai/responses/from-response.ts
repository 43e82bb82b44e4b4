import { newEventId } from '@palimpsest/events';
import type { AssistantMessage } from '@palimpsest/events';
import type OpenAI from 'openai';
import { ServiceUnavailableError } from '../../errors.js';
import { field, textOf } from '../../wire/json-fields.js';
import type { Completion, FinishReason } from '../../llm.js';
import { costOf } from '../../prices.js';
import { estimateUsage } from '../../usage-estimate.js';
import { answerOf } from '../../wire/answer-builder.js';
import { openaiUsage } from '../../wire/reported-usage.js';
import { readResponsesItem } from '../../wire/responses-reader.js';
import { toolNames } from '../../wire/tool-names.js';
import type { ChatCompletionOptions } from '../from-response.js';

type Response = OpenAI.Responses.Response;

/** The options of reading a response. */
export type ResponseOptions = ChatCompletionOptions;

/**
 * The neutral form of a response of the Responses API. Words and calls keep their order among themselves; each reasoning item
 * keeps its position among them. Tool names become those of the request's tools again.
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
  const pieces = output.flatMap(
    (item: unknown) =>
      readResponsesItem(field(item, 'type') === 'message' ? { ...(item as object), role: 'assistant' } : item).pieces,
  );
  const newCallId = () => `call_${newId().replaceAll('-', '')}`;
  const message = answerOf(pieces, { names: toolNames(request), newCallId });
  const refused = pieces.some((piece) => piece.type === 'content' && piece.isRefusal === true);
  const reported = openaiUsage(response.usage);
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
