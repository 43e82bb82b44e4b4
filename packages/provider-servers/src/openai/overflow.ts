import type { CompatProfile, Overflow } from '../compat/profile.js';
import type { OpenAIError } from './openai-error.js';
import { openaiModel } from './models.js';
import { tokensOf } from '../provider-server.js';
import { listIn, objectIn, textIn } from '../wire-json.js';
import type { JsonObject } from '../wire-json.js';

const refused = { status: 400, type: 'invalid_request_error', code: 'context_length_exceeded' };

/** The reaction to a request that is too large; undefined if it fits. For Chat Completions. @see provider-rules B.7, D, B13 */
export function chatOverflow(
  body: JsonObject,
  {
    inputTokens,
    contextWindow,
    profile,
  }: {
    readonly inputTokens: number;
    readonly contextWindow: number | undefined;
    readonly profile: CompatProfile | undefined;
  },
): OpenAIError | { readonly truncatedTo: number } | undefined {
  const asked = body.max_completion_tokens ?? body.max_tokens;
  const maxOutputTokens = typeof asked === 'number' ? asked : undefined;
  if (contextWindow === undefined || inputTokens + (maxOutputTokens ?? 0) <= contextWindow) return undefined;
  const overflow: Overflow = { inputTokens, maxOutputTokens, contextWindow };
  return profile?.overflow?.(overflow) ?? openaiOverflow(overflow, textIn(body.model) ?? '');
}

function openaiOverflow({ inputTokens, maxOutputTokens = 0, contextWindow }: Overflow, model: string): OpenAIError {
  const [head, tail] =
    inputTokens <= contextWindow
      ? [
          `This model's maximum context length is ${contextWindow} tokens. However, you requested ` +
            `${inputTokens + maxOutputTokens} tokens (${inputTokens} in the messages, ${maxOutputTokens} in the completion).`,
          'Please reduce the length of the messages or completion.',
        ]
      : openaiModel(model).isReasoning
        ? [
            `Input tokens exceed the configured limit of ${contextWindow} tokens. Your messages resulted in ` +
              `${inputTokens} tokens.`,
            'Please reduce the length of the messages.',
          ]
        : [
            `This model's maximum context length is ${contextWindow} tokens. However, your messages resulted in ` +
              `${inputTokens} tokens.`,
            'Please reduce the length of the messages.',
          ];
  return { ...refused, param: 'messages', message: `${head} ${tail}` };
}

/** The Responses API has a single text for an overflow. @see provider-rules C11, C.3 */
export const responsesOverflow: OpenAIError & { readonly code: string } = {
  ...refused,
  param: 'input',
  message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
};

/** A request truncated at the front: the instructions and the newest messages that fit. */
export function withoutFront(body: JsonObject, maxTokens: number): JsonObject {
  const messages = listIn(body.messages);
  const instructions = messages.filter((message) => objectIn(message)?.role === 'system');
  const others = messages.filter((message) => objectIn(message)?.role !== 'system');
  while (others.length > 1 && tokensOf([...instructions, ...others]) > maxTokens) others.shift();
  return { ...body, messages: [...instructions, ...others] };
}
