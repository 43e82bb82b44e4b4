import { truncateToLimit, tokensOfBlock, wholeInput, impossibleReplyReason } from './answer.js';
import type { AnthropicAnswer } from './answer.js';
import { claudeModel } from '../../rules/anthropic/model.js';
import { errorOfFault, errorResponse, failure, rateLimitHeaders, tooManyBytes } from './errors.js';
import { messageStream } from './stream.js';
import { promptCache } from './cache.js';
import type { CacheUse } from './cache.js';
import { promptPieces, tokensOfPieces } from './prompt-pieces.js';
import { sealsFrom, checkThinking, signThinking } from './signatures.js';
import { bindingControls } from '../../rules/anthropic/thinking.js';
import type { InputTransformation } from './signatures.js';
import { checkAnthropicRequest } from '../../rules/anthropic/request.js';
import { faultAt, isDeliveryFault, withFault } from '../faults.js';
import type { Faults, RefusalFault } from '../faults.js';
import { InvalidReplyError, isRefusal, notAReply } from '../invalid-reply.js';
import { serve } from '../http.js';
import type { ProviderServer, ReceivedRequest, ServerResponse } from '../http.js';
import type { ServerError, Violation } from '../../rules/wire/violation.js';
import { objectIn, textIn } from '../../rules/wire/wire-json.js';
import type { JsonObject } from '../../rules/wire/wire-json.js';

/** A scripted answer: blocks, an error with a given text, or a fault with the provider's text. */
export type AnthropicReply = AnthropicAnswer | { readonly error: ServerError } | RefusalFault;

/** Options of {@link anthropicServer}. */
export interface AnthropicServerOptions {
  /**
   * Answers an accepted request; `index` counts those from 0. Not called if `max_tokens` is 0; that request counts too. A reply in
   * another shape is an answer with the status 500 and the text of an {@link InvalidReplyError}.
   */
  readonly reply: (body: JsonObject, index: number) => AnthropicReply | Promise<AnthropicReply>;
  /** The only accepted API key. @defaultValue every key is accepted */
  readonly apiKey?: string;
  /** Unit: tokens, at four characters of JSON each. @defaultValue the model's window */
  readonly contextWindow?: number;
  /** Faults by the number of the request. @defaultValue none */
  readonly faults?: Faults;
  /**
   * The id of an answer; undefined sends no id. Compatible servers repeat ids or send none.
   * @defaultValue a unique id for each answer
   */
  readonly responseId?: (index: number) => string | undefined;
  /** The clock of the prompt cache and of the headers. @defaultValue the system clock */
  readonly now?: () => Date;
  /**
   * The key that signs thinking. Servers with the same key accept each other's signatures, so a session can continue on a
   * new server.
   * @defaultValue one key for all servers
   */
  readonly signingKey?: string;
  /** Answers `stream: true` with one JSON body, as some compatible servers do. @defaultValue false */
  readonly ignoresStream?: boolean;
  /** False accepts any thinking signature (rule A17), for histories from other servers. @defaultValue true */
  readonly checksSignatures?: boolean;
}

/** Rule A22. Unit: bytes. */
const maxBytes = 32 * 1_024 * 1_024;

/**
 * Starts a local server that implements the documented behaviour of Anthropic's Messages API. It refuses the requests that the
 * provider refuses, answers other requests whole or as a stream (`stream: true`), and counts tokens
 * (`/v1/messages/count_tokens`). A count is never refused for its size.
 *
 * - Rules: those of {@link checkAnthropicRequest}, and A17 (thinking), A21 (window), A22 (bytes, by the edge: before the key).
 * - Tokens: a quarter of the characters of the rendered prompt's JSON, without cache marks and signatures.
 * - The server signs thinking and replaces scripted signatures. Models that bind thinking refuse it if the prompt before it
 *   was edited. The simulated account enforces the binding; Mythos 5.1 signs but does not refuse. A signature names only the
 *   previous thinking block, so the server does not know which removed blocks were missing in an earlier request.
 * - An answer longer than `max_tokens` or than the rest of the window is cut, as the provider does: in its text, or in the JSON of a
 *   call's input, whose block is closed all the same. Without a stream a cut input is `{}`. Models before 4.5 refuse a
 *   request whose `max_tokens` may not fit.
 * - Prompt cache, one per key, over the rendered tools, system prompt and messages. Every prefix depends on the model. After the
 *   tools it also depends on `speed`, in the messages also on `tool_choice`, thinking on or off, and whether there are images. A
 *   mark (or the automatic mark on the last block) writes its prefix if the prefix has the model's minimum length: 512 tokens for
 *   most current models, 1,024, 2,048 or 4,096 for older ones, 512 assumed for Haiku 5.5. A mark reads the longest prefix written
 *   at its position or at one of the 19 previous positions. A run of calls or of results is one position. No rounding. A prefix
 *   lives for 5 minutes or 1 hour after its last read. It can be read once the answer to the request that wrote it has begun.
 * - An answer that the provider could never send is a 500 with the reason and `x-should-retry: false`.
 *
 * @see provider-rules A
 */
export async function anthropicServer(options: AnthropicServerOptions): Promise<ProviderServer> {
  const seals = await sealsFrom(options.signingKey ?? 'palimpsest');
  const now = options.now ?? (() => new Date());
  const cache = promptCache(now);
  let received = 0;
  let answered = 0;

  const handle = async (request: ReceivedRequest): Promise<ServerResponse> => {
    const path = request.path.replace(/\?.*$/, '');
    const isCount = path === '/v1/messages/count_tokens';
    if (!isCount && path !== '/v1/messages') return errorResponse(notFound);
    const fault = isCount ? undefined : faultAt(options.faults, request.body, received++);
    if (fault !== undefined && !isDeliveryFault(fault)) return errorResponse(errorOfFault(fault));
    const response = await respond(request, isCount);
    return fault === undefined ? response : withFault(response, fault, failure);
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

    const room = outputRoom(body, inputTokens, options.contextWindow);
    if ('status' in room) return errorResponse(room);
    const use = cache.use(body, pieces, keyOf(request) ?? '');
    const index = answered++;
    const reply = body.max_tokens === 0 ? { content: [], stop_reason: 'max_tokens' } : await options.reply(body, index);
    assertReply(reply);
    if ('error' in reply) return errorResponse(reply.error);
    if ('fault' in reply) return errorResponse(errorOfFault(reply));
    const why = impossibleReplyReason(reply, body);
    if (why !== undefined) throw new InvalidReplyError(`Anthropic could not send reply ${index} of the test: ${why}.`);

    const { content, isWhole } = truncateToLimit(reply.content, room.tokens);
    const messageId = `msg_${index + 1}`;
    const calls = content.some(({ type }) => type === 'tool_use');
    const message = {
      id: options.responseId === undefined ? messageId : options.responseId(index),
      type: 'message',
      role: 'assistant',
      model: body.model,
      content: signThinking(content.map(wholeInput), { body, messageId, dropped, seals }),
      stop_reason: isWhole ? (reply.stop_reason ?? (calls ? 'tool_use' : 'end_turn')) : room.stopReason,
      stop_sequence: isWhole ? (reply.stop_sequence ?? null) : null,
      usage: { ...usageOf(use, content), ...reply.usage },
      ...(betas.includes(bindingControls) ? { input_transformations: transformations } : {}),
    };
    const sent = { status: 200, headers: { 'request-id': `req_${index + 1}` }, onStart: use.commit };
    const response =
      body.stream === true && options.ignoresStream !== true
        ? { ...sent, events: messageStream({ ...message, content: withInputs(message.content, content) }, reply) }
        : { ...sent, body: message };
    return reply.delivery === undefined ? response : withFault(response, reply.delivery, failure);
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

/** @throws {@link InvalidReplyError} for a reply in another shape */
function assertReply(reply: unknown): void {
  const { content } = objectIn(reply) ?? {};
  const isAnswer = Array.isArray(content) && content.every((block) => objectIn(block) !== undefined);
  if (isAnswer || isRefusal(reply)) return;
  throw notAReply(reply, ["{ content: [{ type: 'text', text: 'Hello.' }] }"]);
}

const notFound: ServerError = { status: 404, type: 'not_found_error', message: 'Not found' };
const unchecked: { violations: readonly Violation[]; transformations: readonly InputTransformation[] } = {
  violations: [],
  transformations: [],
};

/** Refusals that do not depend on the body. */
function refusedUnread(request: ReceivedRequest, { apiKey }: AnthropicServerOptions): ServerError | undefined {
  if (request.bytes > maxBytes) return tooManyBytes;
  if (request.method !== 'POST') return notFound;
  return apiKey === undefined || keyOf(request) === apiKey
    ? undefined
    : { status: 401, type: 'authentication_error', message: 'invalid x-api-key' };
}

/** Returns the signed blocks with the inputs as the script gives them: thinking is bound to what a history can hold. */
function withInputs(signed: readonly JsonObject[], given: readonly JsonObject[]): readonly JsonObject[] {
  return signed.map((block, index) => (block.type === 'tool_use' ? { ...block, input: given[index]?.input } : block));
}

function keyOf({ headers }: ReceivedRequest): string | undefined {
  return headers['x-api-key'] ?? headers.authorization?.replace(/^Bearer /, '');
}

function invalid({ path, message }: Violation): ServerError {
  return { status: 400, type: 'invalid_request_error', message: path === '' ? message : `${path}: ${message}` };
}

/** provider-rules A21, A.8: the token limit of the answer with its stop reason, or the refusal. */
function outputRoom(
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

/** A.7: `input_tokens` excludes tokens read from or written to the cache. */
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
