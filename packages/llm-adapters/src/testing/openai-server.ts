import { checkChatCompletionsRequest } from './chat-completions-request.js';
import { serve, tokensOf } from './provider-server.js';
import type { ProviderServer, ReceivedRequest, ServerError, ServerResponse } from './provider-server.js';
import { objectIn } from './wire-json.js';
import type { JsonObject } from './wire-json.js';

/** What the server answers: a message as Chat Completions writes it, or an error. */
export type OpenAIReply =
  | { readonly message: JsonObject; readonly finish_reason?: string; readonly usage?: JsonObject }
  | { readonly error: ServerError };

/** Options of {@link openaiServer}. */
export interface OpenAIServerOptions {
  /** The answer to a request that passed; `index` counts them from 0. */
  readonly reply: (body: JsonObject, index: number) => OpenAIReply | Promise<OpenAIReply>;
  /** Any other key is refused. @defaultValue every key is taken */
  readonly apiKey?: string;
  /** More is refused, at four characters of JSON a token. Unit: tokens. @defaultValue no bound */
  readonly contextWindow?: number;
}

/**
 * A server on this machine that refuses what OpenAI's Chat Completions refuses, as far as
 * {@link checkChatCompletionsRequest} knows it, and answers the rest. Not streamed.
 *
 * @see provider-protocol B.1, B.7
 */
export function openaiServer(options: OpenAIServerOptions): Promise<ProviderServer> {
  let answered = 0;
  return serve({
    basePath: '/v1',
    handle: async (request) => {
      const refused = refusal(request, options);
      if (refused !== undefined) return errorResponse(refused);
      const body = objectIn(request.body) ?? {};
      const index = answered++;
      const reply = await options.reply(body, index);
      if ('error' in reply) return errorResponse(reply.error);
      const { message } = reply;
      return {
        status: 200,
        headers: { 'x-request-id': `req_${index + 1}` },
        body: {
          id: `chatcmpl-${index + 1}`,
          object: 'chat.completion',
          created: 0,
          model: body.model,
          choices: [
            {
              index: 0,
              message: { role: 'assistant', content: null, refusal: null, ...message },
              finish_reason: reply.finish_reason ?? (message.tool_calls === undefined ? 'stop' : 'tool_calls'),
              logprobs: null,
            },
          ],
          usage: reply.usage ?? estimatedUsage(body, message),
        },
      };
    },
  });
}

function refusal(
  { method, path, headers, body }: ReceivedRequest,
  options: OpenAIServerOptions,
): ServerError | undefined {
  if (method !== 'POST' || path !== '/v1/chat/completions') {
    return { status: 404, type: 'invalid_request_error', message: 'Not found' };
  }
  const key = headers.authorization?.replace(/^Bearer /, '');
  if (options.apiKey !== undefined && key !== options.apiKey) {
    const message = `Incorrect API key provided: ${key ?? ''}.`;
    return { status: 401, type: 'invalid_request_error', code: 'invalid_api_key', message };
  }
  const violation = checkChatCompletionsRequest(body)[0];
  if (violation !== undefined) {
    return { status: 400, type: 'invalid_request_error', message: `${violation.path}: ${violation.message}` };
  }
  const tokens = inputTokens(objectIn(body) ?? {});
  if (options.contextWindow !== undefined && tokens > options.contextWindow) {
    const message =
      `This model's maximum context length is ${options.contextWindow} tokens. However, your messages resulted in ` +
      `${tokens} tokens. Please reduce the length of the messages.`;
    return { status: 400, type: 'invalid_request_error', code: 'context_length_exceeded', message };
  }
  return undefined;
}

function inputTokens({ tools, messages }: JsonObject): number {
  return tokensOf([tools ?? [], messages]);
}

function estimatedUsage(body: JsonObject, message: JsonObject): JsonObject {
  const prompt_tokens = inputTokens(body);
  const completion_tokens = tokensOf(message);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

function errorResponse({ status, type, message, code, headers }: ServerError): ServerResponse {
  return {
    status,
    headers: { 'x-request-id': 'req_refused', ...headers },
    body: { error: { message, type, param: null, code: code ?? null } },
  };
}
