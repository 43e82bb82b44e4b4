import type { LLM } from '../llm.js';
import { lazySdk } from '../sdk.js';
import { sdkLLM } from '../sdk-llm.js';
import type { SdkLLMOptions } from '../sdk-llm.js';
import { fromMessage } from './from-response.js';
import { toLLMError } from './map-error.js';
import { toMessagesRequest } from './to-request.js';

/**
 * Options of {@link anthropicLLM}. `apiKey` defaults to the variable `ANTHROPIC_API_KEY`, `baseURL` to the variable
 * `ANTHROPIC_BASE_URL`, else to Anthropic; `maxOutputTokens` to 16,000.
 */
export type AnthropicLLMOptions = SdkLLMOptions;

/** An answer that is not streamed may take this long. Said outright, since the SDK else refuses long answers. */
const timeoutMs = 600_000;

const loadAnthropic = lazySdk({
  provider: 'anthropic',
  packageName: '@anthropic-ai/sdk',
  load: async () => (await import('@anthropic-ai/sdk')).default,
});

/**
 * A Claude model through the package `@anthropic-ai/sdk`, an optional peer that is loaded at the first call. One call, not
 * streamed. The package itself retries twice on 408, 409, 429, 5xx and lost connections.
 *
 * @example
 * ```ts
 * const llm = anthropicLLM({ model: 'claude-haiku-5-5' });
 * const { message } = await llm.complete({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] });
 * ```
 */
export function anthropicLLM(options: AnthropicLLMOptions): LLM {
  const { model, apiKey, baseURL, maxOutputTokens, prices } = options;
  return sdkLLM(options, {
    provider: 'anthropic',
    newClient: async () => {
      const Anthropic = await loadAnthropic();
      return new Anthropic({
        ...(apiKey === undefined ? {} : { apiKey }),
        ...(baseURL === undefined ? {} : { baseURL }),
      });
    },
    keysOf: (client) => [client.apiKey, client.authToken],
    toRequest: (request) =>
      toMessagesRequest(request, { model, ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }) }),
    send: (client, body, signal) =>
      client.messages.create(body, { timeout: timeoutMs, ...(signal === undefined ? {} : { signal }) }),
    fromResponse: (response, request) =>
      fromMessage(response, { request, ...(prices === undefined ? {} : { prices }) }),
    toLLMError,
  });
}
