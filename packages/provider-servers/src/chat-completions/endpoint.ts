import { checkChatCompletionsRequest } from './request.js';
import { chatCompletion, chatCompletionChunks } from './response.js';
import { errorBody, errorOf } from '../openai/errors.js';
import type { OpenAIEndpoint } from '../openai/exchange.js';
import { chatOverflow, withoutFront } from '../openai/overflow.js';
import { chatUsage, inputTokensOf, lookUp } from '../openai/usage.js';
import { objectIn } from '../wire-json.js';

/** `/chat/completions`. @see provider-rules B */
export const chatCompletionsEndpoint: OpenAIEndpoint = {
  answer: async ({ body, contextWindow, pieceSize, profile, cache, responseId, reply: ask, refuse }) => {
    const violation = checkChatCompletionsRequest(body, profile?.name)[0];
    if (violation !== undefined) return refuse(errorOf(violation));
    const overflow = chatOverflow(body, { inputTokens: inputTokensOf(body), contextWindow, profile });
    if (overflow !== undefined && 'status' in overflow) return refuse(overflow);
    const read = overflow === undefined ? body : withoutFront(body, overflow.truncatedTo);
    const asked = await ask(read);
    if ('refused' in asked) return asked.refused;
    const { reply, index } = asked;
    if ('output' in reply)
      throw new TypeError('A reply with `output` is for /v1/responses; this endpoint sends `message`.');
    const message = profile?.decorate?.(reply.message, body) ?? reply.message;
    const answer = {
      id: responseId === undefined ? `chatcmpl-${index + 1}` : responseId(index),
      model: body.model,
      created: 0,
      message,
      finishReason:
        reply.finish_reason === undefined
          ? message.tool_calls === undefined
            ? 'stop'
            : 'tool_calls'
          : reply.finish_reason,
      usage: reply.usage === undefined ? chatUsage(read, lookUp(cache, read), message) : reply.usage,
    };
    const headers = { 'x-request-id': `req_${index + 1}` };
    if (body.stream !== true) return { status: 200, headers, body: chatCompletion(answer) };
    const usageUnasked = profile?.streamsUsageUnasked === true;
    const includeUsage = !usageUnasked && objectIn(body.stream_options)?.include_usage === true;
    const chunks = chatCompletionChunks(answer, { includeUsage, usageUnasked, pieceSize });
    return { status: 200, headers, events: [...chunks, '[DONE]'].map((data) => ({ data })) };
  },
  failureEvent: (error) => ({ data: errorBody(error) }),
};
