import { anthropicServer } from './servers/anthropic/server.js';
import type { AnthropicServerOptions } from './servers/anthropic/server.js';
import type { AnthropicAnswer } from './servers/anthropic/answer.js';
import { openaiServer } from './servers/openai/server.js';
import type { OpenAIServerOptions } from './servers/openai/server.js';
import type { OpenAIMessageReply } from './servers/openai/exchange.js';
import type { ProviderServer } from './servers/http.js';
import type { DeliveryFault } from './servers/faults.js';
import type { JsonObject } from './rules/wire/wire-json.js';

/** An answer of a model in no provider's form. */
export interface ScriptedAnswer {
  readonly text?: string | undefined;
  /** Anthropic signs it; Chat Completions sends it as `reasoning_content`, Responses as an item. */
  readonly thinking?: string | undefined;
  /** @defaultValue none */
  readonly calls?: readonly ScriptedCall[] | undefined;
  /** `limit`: it reached its limit of tokens. `refusal`: a filter ended it. @defaultValue it ended naturally */
  readonly end?: 'limit' | 'refusal' | undefined;
  /** A fault on the way of the answer. @defaultValue none */
  readonly delivery?: DeliveryFault | undefined;
}

/** A call of a tool in no provider's form. */
export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  /** Or the JSON text that the model wrote: half of it in the last call of an answer that has an `end`. */
  readonly input: object | string;
  /** The thought between the call before and this one. Messages alone has a place for it. @defaultValue none */
  readonly thinking?: string | undefined;
}

/** A function that answers an accepted request. `index` counts accepted requests from 0. */
export type Script = (body: JsonObject, index: number) => ScriptedAnswer | Promise<ScriptedAnswer>;

/** The options of either server, but for the answers. Each reads its own. */
export type ScriptedServerOptions = Omit<AnthropicServerOptions & OpenAIServerOptions, 'reply'>;

/** Starts a server of Anthropic's or OpenAI's protocols whose answers are written once for both. */
export function scriptedServer(
  api: 'anthropic' | 'openai',
  script: Script,
  options: ScriptedServerOptions = {},
): Promise<ProviderServer> {
  return api === 'anthropic'
    ? anthropicServer({ ...options, reply: async (body, index) => anthropicAnswer(await script(body, index)) })
    : openaiServer({ ...options, reply: async (body, index) => openaiAnswer(await script(body, index)) });
}

function anthropicAnswer(answer: ScriptedAnswer): AnthropicAnswer {
  const reasons = { limit: 'max_tokens', refusal: 'refusal' };
  return {
    content: blocksOf(answer),
    delivery: answer.delivery,
    ...(answer.end === undefined ? {} : { stop_reason: reasons[answer.end] }),
  };
}

function openaiAnswer(answer: ScriptedAnswer): OpenAIMessageReply {
  const reasons = { limit: 'length', refusal: 'content_filter' };
  return {
    message: messageOf(answer),
    delivery: answer.delivery,
    ...(answer.end === undefined ? {} : { finish_reason: reasons[answer.end] }),
  };
}

function blocksOf({ text, thinking, calls = [] }: ScriptedAnswer): readonly JsonObject[] {
  return [
    ...thinkingBlocks(thinking),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...calls.flatMap(({ id, name, input, thinking: before }) => [
      ...thinkingBlocks(before),
      { type: 'tool_use', id, name, input },
    ]),
  ];
}

function thinkingBlocks(thinking: string | undefined): readonly JsonObject[] {
  return thinking === undefined ? [] : [{ type: 'thinking', thinking, signature: '' }];
}

function messageOf({ text, thinking, calls = [] }: ScriptedAnswer): JsonObject {
  return {
    role: 'assistant',
    content: text ?? null,
    ...(thinking === undefined ? {} : { reasoning_content: thinking }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ id, name, input }) => ({
            id,
            type: 'function',
            function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
          })),
        }),
  };
}

/** Options of {@link toolLoop}. */
export interface ToolLoopOptions {
  /** Answers in a loop: the last is text, the others are calls. */
  readonly steps: number;
  /** Thinks before each answer. @defaultValue false */
  readonly thinks?: boolean | undefined;
  /** Begins the ids of calls. @defaultValue 'call' */
  readonly name?: string | undefined;
}

/**
 * Returns a model that goes on calling tools, loop after loop, to try an agent or a framework with: `read`, with two calls in
 * every third answer and a path that begins with `missing/` in every seventh, and `screenshot`, which returns an image.
 */
export function toolLoop({
  steps,
  thinks = false,
  name = 'call',
}: ToolLoopOptions): (body: JsonObject, index: number) => ScriptedAnswer {
  return (_, index) => {
    const isLast = index % steps === steps - 1;
    return {
      text: index % 4 === 0 || isLast ? `Answer ${index}.` : undefined,
      thinking: thinks ? `Thought ${index}.` : undefined,
      calls: isLast ? [] : callsOf(index, name),
    };
  };
}

function callsOf(index: number, name: string): readonly ScriptedCall[] {
  return Array.from({ length: index % 3 === 2 ? 2 : 1 }, (_, call) => {
    const id = `${name}_${index}_${call}`;
    if (index % 10 === 4) return { id, name: 'screenshot', input: {} };
    return { id, name: 'read', input: { path: index % 7 === 3 ? `missing/${id}.ts` : `src/${id}.ts` } };
  });
}
