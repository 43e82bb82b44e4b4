import { checkAnthropicRequest } from './anthropic-request.js';
import { serve, tokensOf } from './provider-server.js';
import type { ProviderServer, ReceivedRequest, ServerError, ServerResponse } from './provider-server.js';
import { objectIn } from './wire-json.js';
import type { JsonObject } from './wire-json.js';

/** What the server answers: blocks as Anthropic writes them, or an error. */
export type AnthropicReply =
  | { readonly content: readonly JsonObject[]; readonly stop_reason?: string; readonly usage?: JsonObject }
  | { readonly error: ServerError };

/** Options of {@link anthropicServer}. */
export interface AnthropicServerOptions {
  /** The answer to a request that passed; `index` counts them from 0. */
  readonly reply: (body: JsonObject, index: number) => AnthropicReply | Promise<AnthropicReply>;
  /** Any other key is refused. @defaultValue every key is taken */
  readonly apiKey?: string;
  /** More is refused, at four characters of JSON a token. Unit: tokens. @defaultValue no bound */
  readonly contextWindow?: number;
}

/**
 * A server on this machine that refuses what Anthropic refuses, as far as {@link checkAnthropicRequest} knows it, and answers
 * the rest. Not streamed.
 *
 * @see provider-protocol A.1, A.8
 */
export function anthropicServer(options: AnthropicServerOptions): Promise<ProviderServer> {
  let answered = 0;
  return serve({
    basePath: '',
    handle: async (request) => {
      const refused = refusal(request, options);
      if (refused !== undefined) return errorResponse(refused);
      const body = objectIn(request.body) ?? {};
      const index = answered++;
      const reply = await options.reply(body, index);
      if ('error' in reply) return errorResponse(reply.error);
      const { content, usage } = reply;
      const calls = content.some(({ type }) => type === 'tool_use');
      return {
        status: 200,
        headers: { 'request-id': `req_${index + 1}` },
        body: {
          id: `msg_${index + 1}`,
          type: 'message',
          role: 'assistant',
          model: body.model,
          content,
          stop_reason: reply.stop_reason ?? (calls ? 'tool_use' : 'end_turn'),
          stop_sequence: null,
          usage: usage ?? { input_tokens: inputTokens(body), output_tokens: tokensOf(content) },
        },
      };
    },
  });
}

function refusal(
  { method, path, headers, body }: ReceivedRequest,
  options: AnthropicServerOptions,
): ServerError | undefined {
  if (method !== 'POST' || path !== '/v1/messages')
    return { status: 404, type: 'not_found_error', message: 'Not found' };
  const key = headers['x-api-key'] ?? headers.authorization?.replace(/^Bearer /, '');
  if (options.apiKey !== undefined && key !== options.apiKey) {
    return { status: 401, type: 'authentication_error', message: 'invalid x-api-key' };
  }
  const violation = checkAnthropicRequest(body)[0];
  if (violation !== undefined) {
    return { status: 400, type: 'invalid_request_error', message: `${violation.path}: ${violation.message}` };
  }
  const tokens = inputTokens(objectIn(body) ?? {});
  if (options.contextWindow !== undefined && tokens > options.contextWindow) {
    const message = `prompt is too long: ${tokens} tokens > ${options.contextWindow} maximum`;
    return { status: 400, type: 'invalid_request_error', message };
  }
  return undefined;
}

function inputTokens({ system, tools, messages }: JsonObject): number {
  return tokensOf([system ?? '', tools ?? [], messages]);
}

function errorResponse({ status, type, message, headers }: ServerError): ServerResponse {
  return {
    status,
    headers: { 'request-id': 'req_refused', ...headers },
    body: { type: 'error', error: { type, message }, request_id: 'req_refused' },
  };
}
