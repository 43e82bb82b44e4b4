import { errorOf, responsesOverflow } from './errors.js';
import type { OpenAIEndpoint } from './exchange.js';
import { itemsOf } from './exchange.js';
import { inputTokensOf, lookUp, responsesUsage } from './usage.js';
import type { ServerResponse } from '../http.js';
import { responsesEvents, responseObject } from './events.js';
import { checkAgainstIssued } from '../../rules/responses/request.js';
import type { ResponsesAnswer } from './events.js';
import type { JsonObject } from '../../rules/wire/wire-json.js';

/** `/responses`. @see provider-rules C */
export const responsesEndpoint: OpenAIEndpoint = {
  answer: async ({
    body,
    contextWindow,
    pieceSize,
    overflowsInStream,
    issued,
    cache,
    responseId,
    reply: ask,
    refuse,
  }) => {
    const violation = checkAgainstIssued(body, issued)[0];
    if (violation !== undefined) return refuse(errorOf(violation));
    if (contextWindow !== undefined && inputTokensOf(body) > contextWindow) {
      if (body.stream !== true || !overflowsInStream) return refuse(responsesOverflow);
      return sent(
        { id: 'resp_refused', createdAt: 0, request: body, output: [], usage: {}, failure: responsesOverflow },
        pieceSize,
      );
    }
    const asked = await ask(body);
    if ('refused' in asked) return asked.refused;
    const { reply, index } = asked;
    const { output, incomplete, failure, usage } = 'output' in reply ? reply : itemsOf(reply);
    const items = issued.issue(output, JSON.stringify([index, body]));
    const answer: ResponsesAnswer = {
      id: responseId === undefined ? `resp_${index + 1}` : responseId(index),
      createdAt: 0,
      request: body,
      output: items,
      usage: usage === undefined ? responsesUsage(body, lookUp(cache, body), items) : usage,
      incomplete,
      failure,
    };
    return sent(answer, pieceSize, { 'x-request-id': `req_${index + 1}` });
  },
  failureEvent: ({ code, message }, sequence_number) => ({
    event: 'error',
    data: { type: 'error', code: code ?? null, message, param: null, sequence_number },
  }),
};

function sent(
  answer: ResponsesAnswer,
  pieceSize: number,
  headers: Readonly<Record<string, string>> = {},
): ServerResponse {
  const request: JsonObject = answer.request;
  if (request.stream !== true) return { status: 200, headers, body: responseObject(answer) };
  return {
    status: 200,
    headers,
    events: responsesEvents(answer, pieceSize).map((data) => ({ event: data.type, data })),
  };
}
