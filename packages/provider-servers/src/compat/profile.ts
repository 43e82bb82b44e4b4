import type { ChatRule } from '../chat-completions/parts.js';
import type { OpenAIError } from '../openai/openai-error.js';
import type { JsonObject } from '../wire-json.js';

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

/** How a server that imitates OpenAI differs from it. What is not given is as OpenAI has it. */
export interface CompatProfile {
  readonly name: CompatProfileName;
  /** Between the address and `/chat/completions`. @defaultValue `/v1` */
  readonly basePath?: string;
  /** Rows of Chat Completions that it does not enforce. @defaultValue none */
  readonly dropsRules?: readonly string[];
  /** Rules of its own, by name. @defaultValue none */
  readonly rules?: Readonly<Record<string, ChatRule>>;
  /** What it does when a request is too large: an error, or it quietly reads less of the front. @defaultValue OpenAI's error */
  readonly overflow?: (overflow: Overflow) => OpenAIError | { readonly truncatedTo: number };
  /** The body of an error. @defaultValue OpenAI's envelope */
  readonly errorBody?: (error: OpenAIError) => unknown;
  /** The status of an error. @defaultValue the error's own */
  readonly errorStatus?: (error: OpenAIError) => number;
  /** Its streams carry the usage in the chunk that ends them, asked or not. @defaultValue false: only when asked (B14) */
  readonly streamsUsageUnasked?: boolean;
  /** What it adds to the message that a script answers. @defaultValue nothing */
  readonly decorate?: (message: JsonObject, request: JsonObject) => JsonObject;
}
