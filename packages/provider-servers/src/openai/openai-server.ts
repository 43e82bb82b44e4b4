import { chatCompletionsEndpoint } from '../chat-completions/endpoint.js';
import { compatProfiles } from '../compat/profiles.js';
import type { CompatProfileName } from '../compat/profile.js';
import { errorResponse, faultError, serverFailure } from './errors.js';
import type { OpenAIError } from './openai-error.js';
import type { OpenAIEndpoint } from './exchange.js';
import { breakpointCache } from './breakpoint-cache.js';
import { promptCache } from './prompt-cache.js';
import type { OpenAIReply } from './reply.js';
import { faultAt, isDeliveryFault, spoiled } from '../provider-fault.js';
import type { DeliveryFault, Faults } from '../provider-fault.js';
import { serve } from '../provider-server.js';
import type { ProviderServer, ReceivedRequest, ServerResponse } from '../provider-server.js';
import { responsesEndpoint } from '../responses/endpoint.js';
import { issuedItems } from '../responses/issued-items.js';
import { objectIn } from '../wire-json.js';
import type { JsonObject } from '../wire-json.js';

/** Options of {@link openaiServer}. */
export interface OpenAIServerOptions {
  /** The answer to a request that passed; `index` counts them from 0. The body has `messages` or `input`, by its endpoint. */
  readonly reply: (body: JsonObject, index: number) => OpenAIReply | Promise<OpenAIReply>;
  /** Any other key is refused. @defaultValue every key is taken */
  readonly apiKey?: string;
  /** More is refused, at four characters of JSON a token. Unit: tokens. @defaultValue no bound */
  readonly contextWindow?: number;
  /** Which server it is. All but OpenAI have only `/chat/completions`. @defaultValue OpenAI */
  readonly profile?: CompatProfileName;
  /** What goes wrong, by the number of the request. @defaultValue nothing */
  readonly faults?: Faults;
  /**
   * The id of an answer; undefined sends none. Servers that imitate the provider repeat ids or send none.
   * @defaultValue another one for each answer
   */
  readonly responseId?: (index: number) => string | undefined;
  /** How much of a text one event of a stream carries. Unit: characters. @defaultValue 8 */
  readonly pieceSize?: number;
  /** Whether Responses says inside a stream, after status 200, that a request is too large, as it may. @defaultValue true */
  readonly overflowsInStream?: boolean;
  /** Servers of one organisation take each other's reasoning items. @defaultValue `org-test` */
  readonly organization?: string;
  /** What `/models` lists. @defaultValue none */
  readonly models?: readonly string[];
  /** By which the prompt cache forgets. @defaultValue the clock */
  readonly now?: () => Date;
}

/**
 * A server on this machine that behaves as OpenAI's Chat Completions and Responses are documented to, or as a server that
 * imitates OpenAI: it refuses what the provider refuses and answers the rest, whole or as a stream (`stream: true`).
 *
 * - Rules: those of {@link checkChatCompletionsRequest} and {@link checkResponsesRequest}; B13 and C11 (window: Chat
 *   Completions also refuses where the answer asked for does not fit beside the input), B14 and C12 (streams), C5 and C10
 *   (reasoning comes back as it was given out, at any server of the organisation).
 * - Tokens: a quarter of the characters of the JSON of tools, instructions and messages.
 * - Prompt cache, from 1,024 tokens, kept apart by `prompt_cache_key` and model; a use renews the life. Before gpt-5.6 it is
 *   automatic, by the longest common prefix of that JSON in steps of 128 tokens, for 10 minutes. Later it reads to the token and
 *   for 30 minutes, and only what ended at a breakpoint: at the end of a request, or at an explicit one that both requests
 *   have; with `cache_write_tokens`. A request writes four, the latest ones.
 * - Nothing is stored: `item_reference` and `previous_response_id` are refused whatever `store` says (C2).
 * - A `message` is sent by Responses as items; `output` cannot be sent by Chat Completions.
 *
 * @see provider-rules B, C and D
 */
export async function openaiServer(options: OpenAIServerOptions): Promise<ProviderServer> {
  const { contextWindow, pieceSize = 8, overflowsInStream = true, now = () => new Date() } = options;
  const profile = options.profile === undefined ? undefined : compatProfiles[options.profile];
  const basePath = profile?.basePath ?? '/v1';
  const issued = await issuedItems(options.organization ?? 'org-test');
  const cache = { automatic: promptCache(now), breakpoints: breakpointCache(now) };
  let calls = 0;
  let answered = 0;

  const answer = async (endpoint: OpenAIEndpoint, { body: received }: ReceivedRequest): Promise<ServerResponse> => {
    const body = objectIn(received);
    if (body === undefined) return errorResponse(notJson, profile);
    const refuse = (error: OpenAIError) => errorResponse(error, profile, body.stream === true);
    let delivery: DeliveryFault | undefined;
    const response = await endpoint.answer({
      body,
      contextWindow,
      pieceSize,
      overflowsInStream,
      profile,
      issued,
      cache,
      responseId: options.responseId,
      refuse,
      reply: async (read) => {
        const index = answered++;
        const reply = await options.reply(read, index);
        if ('error' in reply) return { refused: refuse(reply.error) };
        if ('fault' in reply) return { refused: refuse(faultError(reply)) };
        delivery = reply.delivery;
        return { reply, index };
      },
    });
    return delivery === undefined ? response : spoil(endpoint, response, delivery);
  };

  const spoil = (endpoint: OpenAIEndpoint, response: ServerResponse, fault: DeliveryFault) => {
    const sent = 'afterEvents' in fault ? (fault.afterEvents ?? 0) : 0;
    return spoiled(response, fault, {
      event: endpoint.failureEvent(failed, sent),
      response: errorResponse(failed, profile),
    });
  };

  return serve({
    basePath,
    handle: async (request) => {
      const path = request.path.startsWith(basePath) ? request.path.slice(basePath.length) : '';
      const refused = keyRefused(request, options.apiKey);
      if (request.method === 'GET' && path === '/models') {
        return refused === undefined ? modelList(options.models ?? []) : errorResponse(refused, profile);
      }
      const endpoint = request.method === 'POST' ? endpoints[path] : undefined;
      if (endpoint === undefined || (profile !== undefined && path !== '/chat/completions')) {
        return errorResponse(notFound, profile);
      }
      const fault = faultAt(options.faults, request.body, calls++);
      if (fault !== undefined && !isDeliveryFault(fault)) return errorResponse(faultError(fault), profile);
      if (refused !== undefined) return errorResponse(refused, profile);
      const response = await answer(endpoint, request);
      return fault === undefined ? response : spoil(endpoint, response, fault);
    },
  });
}

const endpoints: Readonly<Record<string, OpenAIEndpoint>> = {
  '/chat/completions': chatCompletionsEndpoint,
  '/responses': responsesEndpoint,
};

const notFound: OpenAIError = { status: 404, type: 'invalid_request_error', message: 'Not found' };

const notJson: OpenAIError = {
  status: 400,
  type: 'invalid_request_error',
  message: 'We could not parse the JSON body of your request. The API expects a JSON object.',
};

const failed: OpenAIError = { status: 500, type: 'server_error', code: 'server_error', message: serverFailure };

function keyRefused({ headers }: ReceivedRequest, apiKey: string | undefined): OpenAIError | undefined {
  const key = headers.authorization?.replace(/^Bearer /, '');
  if (apiKey === undefined || key === apiKey) return undefined;
  const message = `Incorrect API key provided: ${key ?? ''}.`;
  return { status: 401, type: 'invalid_request_error', code: 'invalid_api_key', message };
}

function modelList(models: readonly string[]): ServerResponse {
  const data = models.map((id) => ({ id, object: 'model', created: 0, owned_by: 'test' }));
  return { status: 200, body: { object: 'list', data } };
}
