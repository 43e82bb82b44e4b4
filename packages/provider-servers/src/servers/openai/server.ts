import { chatCompletionsEndpoint } from './chat-completions.js';
import { compatProfiles } from '../../rules/compat/profiles.js';
import type { CompatProfileName } from '../../rules/compat/profile.js';
import { errorResponse, faultError, serverFailure } from './errors.js';
import type { OpenAIError } from '../../rules/wire/violation.js';
import type { OpenAIEndpoint, OpenAIReply } from './exchange.js';
import { breakpointCache, promptCache } from './cache.js';
import { faultAt, isDeliveryFault, withFault } from '../faults.js';
import type { DeliveryFault, Faults } from '../faults.js';
import { serve } from '../http.js';
import type { ProviderServer, ReceivedRequest, ServerResponse } from '../http.js';
import { isRefusal, notAReply } from '../invalid-reply.js';
import { responsesEndpoint } from './responses.js';
import { issuedItems } from './issued-items.js';
import { objectIn } from '../../rules/wire/wire-json.js';
import type { JsonObject } from '../../rules/wire/wire-json.js';

/** Options of {@link openaiServer}. */
export interface OpenAIServerOptions {
  /**
   * Answers an accepted request; `index` counts those from 0. The endpoint decides if the body has `messages` or `input`. A reply in
   * another shape is an answer with the status 500 and the text of an {@link InvalidReplyError}.
   */
  readonly reply: (body: JsonObject, index: number) => OpenAIReply | Promise<OpenAIReply>;
  /** The only accepted API key. @defaultValue every key is accepted */
  readonly apiKey?: string;
  /** Larger requests are refused. Unit: tokens, at four characters of JSON each. @defaultValue no bound */
  readonly contextWindow?: number;
  /** The imitated server. All servers except OpenAI have only `/chat/completions`. @defaultValue OpenAI */
  readonly profile?: CompatProfileName;
  /** Faults by the number of the request. @defaultValue none */
  readonly faults?: Faults;
  /**
   * The id of an answer; undefined sends no id. Compatible servers repeat ids or send none.
   * @defaultValue a unique id for each answer
   */
  readonly responseId?: (index: number) => string | undefined;
  /** The length of the text in one event of a stream. Unit: characters. @defaultValue 8 */
  readonly pieceSize?: number;
  /** True if Responses reports a request that is too large inside a stream, after status 200. @defaultValue true */
  readonly overflowsInStream?: boolean;
  /** Answers `stream: true` with one JSON body, as some compatible servers do. @defaultValue false */
  readonly ignoresStream?: boolean;
  /** Servers of one organisation accept each other's reasoning items. @defaultValue `org-test` */
  readonly organization?: string;
  /** The models that `/models` lists. @defaultValue none */
  readonly models?: readonly string[];
  /** The clock for the expiry of the prompt cache. @defaultValue the system clock */
  readonly now?: () => Date;
}

/**
 * Starts a local server that implements the documented behaviour of OpenAI's Chat Completions and Responses, or of a
 * compatible server. It refuses the requests that the provider refuses and answers others whole or as a stream (`stream:
 * true`).
 *
 * - Rules: those of {@link checkChatCompletionsRequest} and {@link checkResponsesRequest}, B13 and C11 (window: Chat Completions
 *   also refuses if input plus requested output exceed it), B14 and C12 (streams), C5 and C10 (reasoning items are sent back
 *   unchanged, to any server of the organisation).
 * - Tokens: a quarter of the characters of the JSON of tools, instructions and messages.
 * - Prompt cache, from 1,024 tokens, separate for each `prompt_cache_key` and model; a use renews the lifetime. Before gpt-5.6
 *   it is automatic: the longest common prefix of that JSON in steps of 128 tokens, for 10 minutes. From gpt-5.6 on, it is
 *   exact to the token, lasts 30 minutes, and reads only prefixes that end at a breakpoint: at the end of a request, or at an
 *   explicit breakpoint of both requests. Usage has `cache_write_tokens`. A request writes its four latest breakpoints.
 * - Nothing is stored: `item_reference` and `previous_response_id` are refused for every value of `store` (C2).
 * - Responses sends a `message` as items. Chat Completions cannot send `output`.
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
    const body = options.ignoresStream === true ? withoutStream(objectIn(received)) : objectIn(received);
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
        assertReply(reply);
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
    return withFault(response, fault, {
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
        return errorResponse(notFound(request.path, basePath), profile);
      }
      const fault = faultAt(options.faults, request.body, calls++);
      if (fault !== undefined && !isDeliveryFault(fault)) return errorResponse(faultError(fault), profile);
      if (refused !== undefined) return errorResponse(refused, profile);
      const response = await answer(endpoint, request);
      return fault === undefined ? response : spoil(endpoint, response, fault);
    },
  });
}

/** @throws {@link InvalidReplyError} for a reply in another shape */
function assertReply(reply: unknown): void {
  const { message, output } = objectIn(reply) ?? {};
  const isAnswer = objectIn(message) !== undefined || (Array.isArray(output) && output.every((item) => objectIn(item)));
  if (isAnswer || isRefusal(reply)) return;
  throw notAReply(reply, ["{ message: { content: 'Hello.' } }", '{ output: [items of Responses] }']);
}

const endpoints: Readonly<Record<string, OpenAIEndpoint>> = {
  '/chat/completions': chatCompletionsEndpoint,
  '/responses': responsesEndpoint,
};

/** A client that was given the address alone asks outside of the base path. */
function notFound(path: string, basePath: string): OpenAIError {
  const isOutside = !path.startsWith(`${basePath}/`);
  const message = isOutside ? `Not found. The API is below ${basePath}: use the server's \`baseURL\`.` : 'Not found';
  return { status: 404, type: 'invalid_request_error', message };
}

const notJson: OpenAIError = {
  status: 400,
  type: 'invalid_request_error',
  message: 'We could not parse the JSON body of your request. The API expects a JSON object.',
};

const failed: OpenAIError = { status: 500, type: 'server_error', code: 'server_error', message: serverFailure };

function withoutStream(body: JsonObject | undefined): JsonObject | undefined {
  if (body === undefined) return undefined;
  const { stream: _stream, stream_options: _options, ...rest } = body;
  return rest;
}

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
