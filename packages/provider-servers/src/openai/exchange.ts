import type { CompatProfile } from '../compat/profile.js';
import type { OpenAIError } from './openai-error.js';
import type { OpenAIAnswer } from './reply.js';
import type { PromptCaches } from './usage.js';
import type { ServerResponse, ServerSentEvent } from '../provider-server.js';
import type { IssuedItems } from '../responses/issued-items.js';
import type { JsonObject } from '../wire-json.js';

/** One model call, as an endpoint handles it. */
export interface OpenAIExchange {
  readonly body: JsonObject;
  /** Unit: tokens. @defaultValue no bound */
  readonly contextWindow: number | undefined;
  /** Unit: characters. */
  readonly pieceSize: number;
  /** True if a stream begins before the server reports that the request is too large (Responses only). */
  readonly overflowsInStream: boolean;
  /** Undefined for OpenAI itself. */
  readonly profile: CompatProfile | undefined;
  readonly issued: IssuedItems;
  readonly cache: PromptCaches;
  /** The ids of answers, if they are not the endpoint's default ids. */
  readonly responseId: ((index: number) => string | undefined) | undefined;
  /** Gets the answer to an accepted request. */
  readonly reply: (
    body: JsonObject,
  ) => Promise<{ readonly reply: OpenAIAnswer; readonly index: number } | { readonly refused: ServerResponse }>;
  /** An error in the form of this server. */
  readonly refuse: (error: OpenAIError) => ServerResponse;
}

/** One path of the server. */
export interface OpenAIEndpoint {
  answer(exchange: OpenAIExchange): Promise<ServerResponse>;
  /** The event of a failure inside a stream, after the given number of events. */
  failureEvent(error: OpenAIError, afterEvents: number): ServerSentEvent;
}
