import type { CompatProfile } from '../compat/profile.js';
import type { OpenAIError } from './openai-error.js';
import type { OpenAIAnswer } from './reply.js';
import type { PromptCaches } from './usage.js';
import type { ServerResponse, ServerSentEvent } from '../provider-server.js';
import type { IssuedItems } from '../responses/issued-items.js';
import type { JsonObject } from '../wire-json.js';

/** One call of the model, as an endpoint sees it. */
export interface OpenAIExchange {
  readonly body: JsonObject;
  /** Unit: tokens. @defaultValue no bound */
  readonly contextWindow: number | undefined;
  /** Unit: characters. */
  readonly pieceSize: number;
  /** Whether a stream begins before its request is found to be too large (Responses only). */
  readonly overflowsInStream: boolean;
  /** Undefined for OpenAI itself. */
  readonly profile: CompatProfile | undefined;
  readonly issued: IssuedItems;
  readonly cache: PromptCaches;
  /** The ids of answers where they are not the endpoint's own. */
  readonly responseId: ((index: number) => string | undefined) | undefined;
  /** Asks for the answer to what the model reads, once the request has passed. */
  readonly reply: (
    body: JsonObject,
  ) => Promise<{ readonly reply: OpenAIAnswer; readonly index: number } | { readonly refused: ServerResponse }>;
  /** An error as this server answers it. */
  readonly refuse: (error: OpenAIError) => ServerResponse;
}

/** One path of the server. */
export interface OpenAIEndpoint {
  answer(exchange: OpenAIExchange): Promise<ServerResponse>;
  /** How a failure looks inside a stream, after so many events. */
  failureEvent(error: OpenAIError, afterEvents: number): ServerSentEvent;
}
