import type { LLM } from '../llm.js';
import { lazySdk } from '../sdk.js';
import { sdkLLM } from '../sdk-llm.js';
import type { SdkLLMOptions } from '../sdk-llm.js';
import { fromChatCompletion } from './from-response.js';
import { errorInResponse, toLLMError } from './map-error.js';
import { toChatCompletionsRequest } from './to-request.js';

/**
 * Options of {@link openaiLLM}. `apiKey` defaults to the variable `OPENAI_API_KEY`, and none is needed on this machine;
 * `baseURL` names a server that speaks OpenAI's protocol and defaults to the variable `OPENAI_BASE_URL`, else to OpenAI;
 * `maxOutputTokens` defaults to the provider's.
 */
export type OpenAILLMOptions = SdkLLMOptions;

const loadOpenAI = lazySdk({
  provider: 'openai',
  packageName: 'openai',
  load: async () => (await import('openai')).default,
});

/**
 * A model of OpenAI, or of a server that speaks its Chat Completions protocol, through the package `openai`, an optional
 * peer that is loaded at the first call. One call, not streamed. The package itself retries twice on 408, 409, 429, 5xx and
 * lost connections.
 *
 * @example
 * ```ts
 * const llm = openaiLLM({ model: 'gpt-6-luna' });
 * const { message } = await llm.complete({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] });
 * ```
 */
export function openaiLLM(options: OpenAILLMOptions): LLM {
  const { model, baseURL, maxOutputTokens, prices } = options;
  const apiKey = options.apiKey ?? (isThisMachine(baseURL) ? 'none' : undefined);
  return sdkLLM(options, {
    provider: 'openai',
    newClient: async () => {
      const OpenAI = await loadOpenAI();
      return new OpenAI({ ...(apiKey === undefined ? {} : { apiKey }), ...(baseURL === undefined ? {} : { baseURL }) });
    },
    keysOf: (client) => [client.apiKey],
    toRequest: (request, client) =>
      toChatCompletionsRequest(request, {
        model,
        // The client's own, since the address can come from the environment.
        isCompatibleServer: hostOf(client.baseURL) !== 'api.openai.com',
        ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      }),
    send: async (client, body, signal) => {
      const response = await client.chat.completions.create(body, signal === undefined ? {} : { signal });
      const error = errorInResponse(response);
      if (error !== undefined) throw error;
      return response;
    },
    fromResponse: (response, request) =>
      fromChatCompletion(response, { request, model, ...(prices === undefined ? {} : { prices }) }),
    toLLMError,
  });
}

function isThisMachine(baseURL: string | undefined): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostOf(baseURL) ?? '');
}

function hostOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).hostname : undefined;
}
