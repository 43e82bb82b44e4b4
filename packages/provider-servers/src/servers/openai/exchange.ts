import type { DeliveryFault, RefusalFault } from '../faults.js';
import type { ServerResponse, ServerSentEvent } from '../http.js';
import type { ServerError, OpenAIError } from '../../rules/wire/violation.js';
import { listIn, objectIn, textIn } from '../../rules/wire/wire-json.js';
import type { JsonObject } from '../../rules/wire/wire-json.js';
import type { CompatProfile } from '../../rules/compat/profile.js';
import type { PromptCaches } from './usage.js';
import type { IssuedItems } from '../../rules/responses/parts.js';

/** A message in the form of Chat Completions. The Responses endpoint sends it as items. */
export interface OpenAIMessageReply {
  /**
   * Missing fields are null. The `arguments` of a call are sent as they are: text, whole or cut, or the object of a server that
   * parses them. `reasoning_content` is sent as by compatible servers; Responses sends it as a reasoning item.
   */
  readonly message: JsonObject;
  /** Any word of any server. Null imitates a server without finish reasons. @defaultValue `tool_calls` if there are calls, otherwise `stop` */
  readonly finish_reason?: string | null;
  /** The whole field in the endpoint's format; null imitates a server without usage. @defaultValue counted, with the cache */
  readonly usage?: JsonObject | null;
  /** The fault of the delivery. @defaultValue nothing */
  readonly delivery?: DeliveryFault;
}

/**
 * Items in the form of the Responses API. The server adds missing ids, statuses (`completed`) and encrypted content. The item at
 * which an answer was cut has the status `incomplete`.
 */
export interface OpenAIItemsReply {
  readonly output: readonly JsonObject[];
  /** The reason of an incomplete answer. @defaultValue the answer is complete */
  readonly incomplete?: 'max_output_tokens' | 'content_filter';
  /** The error of an answer that fails with status 200. @defaultValue the answer does not fail */
  readonly failure?: { readonly code: string; readonly message: string };
  /** The whole field; null imitates a server without usage. @defaultValue counted, with the cache */
  readonly usage?: JsonObject | null;
  /** The fault of the delivery. @defaultValue nothing */
  readonly delivery?: DeliveryFault;
}

/** An answer of the model, complete or not. */
export type OpenAIAnswer = OpenAIMessageReply | OpenAIItemsReply;

/** A scripted answer: a message, items (Responses only), an error with a given text, or a fault with the provider's text. */
export type OpenAIReply = OpenAIAnswer | { readonly error: ServerError } | RefusalFault;

/** Converts a message to items of the Responses API. */
export function itemsOf({ message, finish_reason, usage }: OpenAIMessageReply): OpenAIItemsReply {
  const incomplete =
    finish_reason === 'length'
      ? ('max_output_tokens' as const)
      : finish_reason === 'content_filter'
        ? ('content_filter' as const)
        : undefined;
  const thought = textIn(message.reasoning_content);
  const output: readonly JsonObject[] = [
    ...(thought === undefined ? [] : [{ type: 'reasoning', summary: [{ type: 'summary_text', text: thought }] }]),
    ...messageItems(message),
    ...listIn(message.tool_calls).map((value) => {
      const call = objectIn(value) ?? {};
      const called = objectIn(call.function) ?? {};
      return { type: 'function_call', call_id: call.id, name: called.name, arguments: called.arguments };
    }),
  ];
  return { output: incomplete === undefined ? output : withCutEnd(output), incomplete, usage };
}

/** Returns the provider marks the item at which the answer was cut. A reasoning item has no status. */
function withCutEnd(output: readonly JsonObject[]): readonly JsonObject[] {
  return output.map((item, index) =>
    index === output.length - 1 && item.type !== 'reasoning' ? { ...item, status: 'incomplete' } : item,
  );
}

function messageItems({ content, refusal }: JsonObject): readonly JsonObject[] {
  const parts = [
    ...(textIn(content) === undefined ? [] : [{ type: 'output_text', text: content, annotations: [], logprobs: [] }]),
    ...(textIn(refusal) === undefined ? [] : [{ type: 'refusal', refusal }]),
  ];
  return parts.length === 0 ? [] : [{ type: 'message', role: 'assistant', content: parts }];
}

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

/** Splits a text into pieces for a stream. Never splits a code point. Unit of `size`: code points. */
export function textPieces(text: string, size: number): readonly string[] {
  const points = Array.from(text);
  const pieces: string[] = [];
  for (let start = 0; start < points.length; start += size) pieces.push(points.slice(start, start + size).join(''));
  return pieces;
}
