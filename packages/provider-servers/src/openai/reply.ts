import type { DeliveryFault, RefusalFault } from '../provider-fault.js';
import type { ServerError } from '../provider-server.js';
import { listIn, objectIn, textIn } from '../wire-json.js';
import type { JsonObject } from '../wire-json.js';

/** A message as Chat Completions writes it: the Responses endpoint sends it as items. */
export interface OpenAIMessageReply {
  /** The fields that are not given are null. `reasoning_content` is sent as compatible servers do; as a reasoning item by Responses. */
  readonly message: JsonObject;
  /** Null as from a server that gives none. @defaultValue `tool_calls` where there are any, else `stop` */
  readonly finish_reason?: string | null;
  /** The whole field, in the endpoint's words; null as from a server that counts nothing. @defaultValue counted, with the cache */
  readonly usage?: JsonObject | null;
  /** What happens to the answer on its way. @defaultValue nothing */
  readonly delivery?: DeliveryFault;
}

/** Items as the Responses API writes them; ids, statuses and encrypted content are the server's where they are missing. */
export interface OpenAIItemsReply {
  readonly output: readonly JsonObject[];
  /** The answer stops here. @defaultValue it is complete */
  readonly incomplete?: 'max_output_tokens' | 'content_filter';
  /** The answer failed, with status 200. @defaultValue it did not */
  readonly failure?: { readonly code: string; readonly message: string };
  /** The whole field; null as from a server that counts nothing. @defaultValue counted, with the cache */
  readonly usage?: JsonObject | null;
  /** What happens to the answer on its way. @defaultValue nothing */
  readonly delivery?: DeliveryFault;
}

/** An answer of the model, complete or not. */
export type OpenAIAnswer = OpenAIMessageReply | OpenAIItemsReply;

/** What the server answers: a message, items (Responses only), an error in the author's words, or a fault in the provider's. */
export type OpenAIReply = OpenAIAnswer | { readonly error: ServerError } | RefusalFault;

/** A message as the items that the Responses API would have sent. */
export function itemsOf({ message, finish_reason, usage }: OpenAIMessageReply): OpenAIItemsReply {
  const incomplete =
    finish_reason === 'length'
      ? ('max_output_tokens' as const)
      : finish_reason === 'content_filter'
        ? ('content_filter' as const)
        : undefined;
  const thought = textIn(message.reasoning_content);
  return {
    output: [
      ...(thought === undefined ? [] : [{ type: 'reasoning', summary: [{ type: 'summary_text', text: thought }] }]),
      ...messageItems(message),
      ...listIn(message.tool_calls).map((value) => {
        const call = objectIn(value) ?? {};
        const called = objectIn(call.function) ?? {};
        return { type: 'function_call', call_id: call.id, name: called.name, arguments: called.arguments };
      }),
    ],
    incomplete,
    usage,
  };
}

function messageItems({ content, refusal }: JsonObject): readonly JsonObject[] {
  const parts = [
    ...(textIn(content) === undefined ? [] : [{ type: 'output_text', text: content, annotations: [], logprobs: [] }]),
    ...(textIn(refusal) === undefined ? [] : [{ type: 'refusal', refusal }]),
  ];
  return parts.length === 0 ? [] : [{ type: 'message', role: 'assistant', content: parts }];
}
