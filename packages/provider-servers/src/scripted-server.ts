import { anthropicServer } from './anthropic/anthropic-server.js';
import type { AnthropicServerOptions } from './anthropic/anthropic-server.js';
import { openaiServer } from './openai/openai-server.js';
import type { ProviderServer } from './provider-server.js';
import type { JsonObject } from './wire-json.js';

/** An answer of a model in no provider's form. */
export interface ScriptedAnswer {
  readonly text?: string | undefined;
  /** Anthropic signs it; Chat Completions sends it as `reasoning_content`, Responses as an item. */
  readonly thinking?: string | undefined;
  /** @defaultValue none */
  readonly calls?: readonly ScriptedCall[] | undefined;
}

/** A call of a tool in no provider's form. */
export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  readonly input: object;
}

/** Answers an accepted request; `index` counts those from 0. */
export type Script = (body: JsonObject, index: number) => ScriptedAnswer;

/** A server of Anthropic's or OpenAI's protocols whose answers are written once for both. */
export function scriptedServer(
  api: 'anthropic' | 'openai',
  script: Script,
  options: Pick<AnthropicServerOptions, 'contextWindow'> = {},
): Promise<ProviderServer> {
  return api === 'anthropic'
    ? anthropicServer({ ...options, reply: (body, index) => ({ content: blocksOf(script(body, index)) }) })
    : openaiServer({ ...options, reply: (body, index) => ({ message: messageOf(script(body, index)) }) });
}

function blocksOf({ text, thinking, calls = [] }: ScriptedAnswer): readonly JsonObject[] {
  return [
    ...(thinking === undefined ? [] : [{ type: 'thinking', thinking, signature: '' }]),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
  ];
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
            function: { name, arguments: JSON.stringify(input) },
          })),
        }),
  };
}
