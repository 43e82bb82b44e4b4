import type { ChatRule } from '../wire/chat-parts.js';
import type { OpenAIError } from '../wire/violation.js';
import type { JsonObject } from '../wire/wire-json.js';

/** A request that is larger than the window. Unit of all: tokens. */
export interface Overflow {
  readonly inputTokens: number;
  readonly maxOutputTokens: number | undefined;
  readonly contextWindow: number;
}

/** The servers that imitate OpenAI and that an `openaiServer` can imitate. @see provider-rules D */
export type CompatProfileName =
  | 'mistral'
  | 'gemini'
  | 'deepseek'
  | 'kimi'
  | 'openrouter'
  | 'vllm-qwen'
  | 'strict-template'
  | 'llama.cpp'
  | 'lmstudio-old'
  | 'ollama';

/** The differences of a compatible server from OpenAI. Omitted fields mean the behaviour of OpenAI. */
export interface CompatProfile {
  readonly name: CompatProfileName;
  /** The path between the address and `/chat/completions`. @defaultValue `/v1` */
  readonly basePath?: string;
  /** Rows of Chat Completions that it does not enforce. @defaultValue none */
  readonly dropsRules?: readonly string[];
  /** Rules of its own, by name. @defaultValue none */
  readonly rules?: Readonly<Record<string, ChatRule>>;
  /** The result of a request that is too large: an error, or silent truncation at the front. @defaultValue OpenAI's error */
  readonly overflow?: (overflow: Overflow) => OpenAIError | { readonly truncatedTo: number };
  /** The body of an error. @defaultValue OpenAI's envelope */
  readonly errorBody?: (error: OpenAIError) => unknown;
  /** The status of an error. @defaultValue the error's own */
  readonly errorStatus?: (error: OpenAIError) => number;
  /** True if the last chunk of every stream carries the usage. @defaultValue false: only if requested (B14) */
  readonly streamsUsageUnasked?: boolean;
  /** Adds fields to a scripted message. @defaultValue adds nothing */
  readonly decorate?: (message: JsonObject, request: JsonObject) => JsonObject;
}
