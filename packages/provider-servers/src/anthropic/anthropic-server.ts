import { fitted, tokensOfBlock, whyNeverSent } from './answer.js';
import type { AnthropicAnswer } from './answer.js';
import { claudeModel } from './claude-model.js';
import { errorOfFault, errorResponse, failure, rateLimitHeaders, tooManyBytes } from './error-response.js';
import { messageStream } from './message-stream.js';
import { promptCache } from './prompt-cache.js';
import type { CacheUse } from './prompt-cache.js';
import { promptPieces, tokensOfPieces } from './prompt-pieces.js';
import { sealsFrom } from './seals.js';
import { bindingControls } from './thinking-rules.js';
import { checkThinking, signThinking } from './thinking-signatures.js';
import type { InputTransformation } from './thinking-signatures.js';
import { checkAnthropicRequest } from './anthropic-request.js';
import { faultAt, isDeliveryFault, spoiled } from '../provider-fault.js';
import type { Faults, RefusalFault } from '../provider-fault.js';
import { serve } from '../provider-server.js';
import type { ProviderServer, ReceivedRequest, ServerError, ServerResponse } from '../provider-server.js';
import type { Violation } from '../violation.js';
import { objectIn, textIn } from '../wire-json.js';
import type { JsonObject } from '../wire-json.js';

/** What the server answers: blocks, an error in the author's words, or a fault in the provider's. */
export type AnthropicReply = AnthropicAnswer | { readonly error: ServerError } | RefusalFault;

/** Options of {@link anthropicServer}. */
export interface AnthropicServerOptions {
  /** The answer to a request that passed; `index` counts those from 0. Not asked when `max_tokens` is 0, which counts too. */
  readonly reply: (body: JsonObject, index: number) => AnthropicReply | Promise<AnthropicReply>;
  /** Any other key is refused. @defaultValue every key is taken */
  readonly apiKey?: string;
  /** Unit: tokens, at four characters of JSON each. @defaultValue the model's */
  readonly contextWindow?: number;
  /** What goes wrong, by the number of the request. @defaultValue nothing */
  readonly faults?: Faults;
  /**
   * The id of an answer; undefined sends none. Servers that imitate the provider repeat ids or send none.
   * @defaultValue another one for each answer
   */
  readonly responseId?: (index: number) => string | undefined;
  /** The clock of the prompt cache and of the headers. @defaultValue this machine's */
  readonly now?: () => Date;
  /**
   * Seals the thinking: a server takes what another one signed with the same key, so that a session can go on at a new server.
   * @defaultValue one for all
   */
  readonly signingKey?: string;
  /** False takes thinking with any signature (rule A17), for histories that no server of this kind made. @defaultValue true */
  readonly checksSignatures?: boolean;
}

/** Rule A22. Unit: bytes. */
const maxBytes = 32 * 1_024 * 1_024;

/**
 * A server on this machine that behaves as Anthropic's Messages API is documented to: it refuses what the provider refuses,
 * answers the rest whole or as a stream (`stream: true`), and counts tokens (`/v1/messages/count_tokens`; never refused for
 * their number).
 *
 * - Rules: those of {@link checkAnthropicRequest}, and A17 (thinking), A21 (window), A22 (bytes, by the edge: before the key).
 * - Tokens: a quarter of the characters of the rendered prompt's JSON, without marks of the cache and signatures.
 * - Thinking is signed, over a signature of the author's too; models that bind refuse it after an edit of what stood before.
 *   The account is one that this is enforced for; Mythos 5.1 signs and lets pass. Which of the removed blocks an earlier
 *   answer did without is not known: the signature names the block before it only.
 * - An answer longer than `max_tokens`, or than the window has room for, is cut as the provider stops it; the models before
 *   4.5 refuse a request whose `max_tokens` may not fit.
 * - Prompt cache, one for each key: over tools, system and messages as rendered, the model part of every prefix, `speed` of
 *   what follows the tools, `tool_choice`, thinking on or off and the presence of images of the messages. A mark (or the
 *   automatic one, on the last block) writes its prefix, if that is as long as the model's minimum: 512 tokens for most of
 *   today's, 1,024, 2,048 or 4,096 for older ones, 512 assumed for Haiku 5.5. It reads the longest prefix that was written at
 *   it or at one of the 19 positions before, a run of calls or of results being one position. No rounding. A prefix lives for
 *   5 minutes or 1 hour after it was last read, and can be read once the answer that wrote it has begun.
 * - An answer that the provider could never send is a 500 that says why, with `x-should-retry: false`.
 *
 * @see provider-rules A
 */
export async function anthropicServer(options: AnthropicServerOptions): Promise<ProviderServer> {
  const seals = await sealsFrom(options.signingKey ?? 'palimpsest');
  const now = options.now ?? (() => new Date());
  const cache = promptCache(seals.digest, now);
  let received = 0;
  let answered = 0;

  const handle = async (request: ReceivedRequest): Promise<ServerResponse> => {
    const path = request.path.replace(/\?.*$/, '');
    const isCount = path === '/v1/messages/count_tokens';
    if (!isCount && path !== '/v1/messages') return errorResponse(notFound);
    const fault = isCount ? undefined : faultAt(options.faults, request.body, received++);
    if (fault !== undefined && !isDeliveryFault(fault)) return errorResponse(errorOfFault(fault));
    const response = await respond(request, isCount);
    return fault === undefined ? response : spoiled(response, fault, failure);
  };

  const respond = async (request: ReceivedRequest, isCount: boolean): Promise<ServerResponse> => {
    const refused = refusedUnread(request, options);
    if (refused !== undefined) return errorResponse(refused);
    const betas = (request.headers['anthropic-beta'] ?? '').split(/[\s,]+/).filter((beta) => beta !== '');
    const context = { endpoint: isCount ? 'count-tokens' : 'messages', betas } as const;
    const violation = checkAnthropicRequest(request.body, context)[0];
    if (violation !== undefined) return errorResponse(invalid(violation));

    const body = objectIn(request.body) ?? {};
    const { violations, transformations } =
      options.checksSignatures === false ? unchecked : checkThinking(body, betas, seals);
    if (violations[0] !== undefined) return errorResponse(invalid(violations[0]));
    const dropped = new Set(transformations.filter(({ type }) => type === 'thinking_dropped').map(({ path }) => path));
    const pieces = promptPieces(body).filter((piece) => !dropped.has(piece.path));
    const inputTokens = tokensOfPieces(pieces);
    if (isCount) return { status: 200, headers: { 'request-id': 'req_count' }, body: { input_tokens: inputTokens } };

    const room = roomIn(body, inputTokens, options.contextWindow);
    if ('status' in room) return errorResponse(room);
    const use = cache.use(body, pieces, keyOf(request) ?? '');
    const index = answered++;
    const reply = body.max_tokens === 0 ? { content: [], stop_reason: 'max_tokens' } : await options.reply(body, index);
    if ('error' in reply) return errorResponse(reply.error);
    if ('fault' in reply) return errorResponse(errorOfFault(reply));
    const why = whyNeverSent(reply, body);
    if (why !== undefined) throw new TypeError(`Anthropic could not send reply ${index} of the test: ${why}.`);

    const { content, isWhole } = fitted(reply.content, room.tokens);
    const messageId = `msg_${index + 1}`;
    const calls = content.some(({ type }) => type === 'tool_use');
    const message = {
      id: options.responseId === undefined ? messageId : options.responseId(index),
      type: 'message',
      role: 'assistant',
      model: body.model,
      content: signThinking(content, { body, messageId, dropped, seals }),
      stop_reason: isWhole ? (reply.stop_reason ?? (calls ? 'tool_use' : 'end_turn')) : room.stopReason,
      stop_sequence: isWhole ? (reply.stop_sequence ?? null) : null,
      usage: { ...usageOf(use, content), ...reply.usage },
      ...(betas.includes(bindingControls) ? { input_transformations: transformations } : {}),
    };
    const sent = { status: 200, headers: { 'request-id': `req_${index + 1}` }, onStart: use.commit };
    const response = body.stream === true ? { ...sent, events: messageStream(message) } : { ...sent, body: message };
    return reply.delivery === undefined ? response : spoiled(response, reply.delivery, failure);
  };

  return serve({
    basePath: '',
    handle: async (request) => {
      const response = await handle(request);
      const isLimited = response.status === 429;
      return { ...response, headers: { ...rateLimitHeaders(now(), isLimited), ...response.headers } };
    },
  });
}

const notFound: ServerError = { status: 404, type: 'not_found_error', message: 'Not found' };
const unchecked: { violations: readonly Violation[]; transformations: readonly InputTransformation[] } = {
  violations: [],
  transformations: [],
};

/** What is refused before the body is looked at. */
function refusedUnread(request: ReceivedRequest, { apiKey }: AnthropicServerOptions): ServerError | undefined {
  if (request.bytes > maxBytes) return tooManyBytes;
  if (request.method !== 'POST') return notFound;
  return apiKey === undefined || keyOf(request) === apiKey
    ? undefined
    : { status: 401, type: 'authentication_error', message: 'invalid x-api-key' };
}

function keyOf({ headers }: ReceivedRequest): string | undefined {
  return headers['x-api-key'] ?? headers.authorization?.replace(/^Bearer /, '');
}

function invalid({ path, message }: Violation): ServerError {
  return { status: 400, type: 'invalid_request_error', message: path === '' ? message : `${path}: ${message}` };
}

/** provider-rules A21, A.8: how much can be answered, and why no more; or that nothing can. */
function roomIn(
  body: JsonObject,
  inputTokens: number,
  window: number | undefined,
): { readonly tokens: number; readonly stopReason: string } | ServerError {
  const { contextWindow, stopsAtWindow } = claudeModel(textIn(body.model) ?? '');
  const limit = window ?? contextWindow;
  const maxTokens = Number(body.max_tokens);
  const refused = (message: string): ServerError => ({ status: 400, type: 'invalid_request_error', message });
  if (inputTokens > limit) return refused(`prompt is too long: ${inputTokens} tokens > ${limit} maximum`);
  if (inputTokens + maxTokens <= limit) return { tokens: maxTokens, stopReason: 'max_tokens' };
  if (stopsAtWindow) return { tokens: limit - inputTokens, stopReason: 'model_context_window_exceeded' };
  return refused(
    `input length and \`max_tokens\` exceed context limit: ${inputTokens} + ${maxTokens} > ${limit}, decrease input length ` +
      'or `max_tokens` and try again',
  );
}

/** A.7: input is what the cache had no part in. */
function usageOf({ read, written, uncached }: CacheUse, content: readonly JsonObject[]): JsonObject {
  const tokensOf = (blocks: readonly JsonObject[]) => blocks.reduce((sum, block) => sum + tokensOfBlock(block), 0);
  return {
    input_tokens: uncached,
    cache_creation_input_tokens: written['5m'] + written['1h'],
    cache_read_input_tokens: read,
    cache_creation: { ephemeral_5m_input_tokens: written['5m'], ephemeral_1h_input_tokens: written['1h'] },
    output_tokens: tokensOf(content),
    output_tokens_details: { thinking_tokens: tokensOf(content.filter(({ type }) => type === 'thinking')) },
    service_tier: 'standard',
  };
}
