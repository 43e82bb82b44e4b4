import type Anthropic from '@anthropic-ai/sdk';
import { assertModel } from '../request-check.js';
import { assertOptions, isObject, isOneOf } from '../options.js';
import type { OptionChecks } from '../options.js';
import { sdkLLM, sdkOptionChecks } from '../sdk-llm.js';
import { environmentVariable, lazySdk, withOwnRedirects } from '../sdk-client.js';
import type { LLM } from '../llm.js';
import { modelFacts } from '../models/model-facts.js';
import type { SdkLLMOptions } from '../sdk-llm.js';
import { completionOf, isErrorAnswer } from './response.js';
import { toLLMError } from './map-error.js';
import { bodyOf, requestPlan } from './request.js';
import type { MessagesOptions, RequestPlan } from './request.js';
import { streamMessage } from './stream.js';
import { assertThinkingOptions } from './thinking.js';

/**
 * Options of {@link anthropicLLM}. `apiKey` defaults to the variable `ANTHROPIC_API_KEY`, `baseURL` to the variable
 * `ANTHROPIC_BASE_URL`, else to Anthropic. `maxOutputTokens` defaults to the model's own maximum, lowered to what the window
 * leaves.
 */
export interface AnthropicLLMOptions
  extends SdkLLMOptions, Pick<MessagesOptions, 'thinking' | 'effort' | 'cacheTtl' | 'structuredOutput'> {}

const optionChecks: OptionChecks<AnthropicLLMOptions> = {
  ...sdkOptionChecks,
  thinking: (value) => (isObject(value) === undefined ? undefined : isOneOf('on', 'off')(value)),
  cacheTtl: isOneOf('5m', '1h'),
  structuredOutput: isOneOf('format', 'tool'),
};

type Body = Anthropic.MessageCreateParamsNonStreaming;

/** The request body and the plan with which the answer is read. */
interface PlannedRequest {
  readonly body: Body;
  readonly plan: RequestPlan;
}

const loadAnthropic = lazySdk({
  provider: 'anthropic',
  packageName: '@anthropic-ai/sdk',
  load: () => import('@anthropic-ai/sdk'),
});

/**
 * Returns a Claude model through the package `@anthropic-ai/sdk`, an optional peer that is loaded at the first call.
 * Every request is streamed, which keeps the raw text of calls and lets an answer be long. Thinking is on for models
 * that decide themselves how much to think; see {@link AnthropicLLMOptions} to change that. Adds prompt cache marks if
 * the request has `cache`. {@link toMessagesRequest} describes how a request is written.
 *
 * @throws {@link InvalidRequestError} when there is no model, an option is unknown or wrong, or the thinking budget is not a whole number of at least 1,024
 * tokens.
 *
 * @example
 * ```ts
 * const llm = anthropicLLM({ model: 'claude-haiku-5-5' });
 * const { message } = await llm.complete({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] });
 * ```
 */
export function anthropicLLM(options: AnthropicLLMOptions): LLM {
  const { model, apiKey, baseURL, headers } = options;
  assertOptions(options, optionChecks, 'anthropic');
  assertModel(model, 'anthropic');
  assertThinkingOptions(options);
  return sdkLLM<Anthropic, PlannedRequest, { readonly message: Anthropic.Message; readonly plan: RequestPlan }>(
    options,
    {
      provider: 'anthropic',
      facts: modelFacts(model, 'anthropic', options.facts),
      baseURL: baseURL ?? environmentVariable('ANTHROPIC_BASE_URL') ?? 'https://api.anthropic.com',
      newClient: async () => {
        const { default: Client } = await loadAnthropic(options.importModule);
        return new Client({
          maxRetries: 0,
          fetch: withOwnRedirects((...sent) => globalThis.fetch(...sent)),
          // Errors are thrown. The SDK's log would also print them, with text of the conversation.
          ...(environmentVariable('ANTHROPIC_LOG') === undefined ? { logLevel: 'off' as const } : {}),
          ...(apiKey === undefined ? {} : { apiKey }),
          ...(baseURL === undefined ? {} : { baseURL }),
          ...(headers === undefined ? {} : { defaultHeaders: { ...headers } }),
        });
      },
      keysOf: (client) => [client.apiKey, client.authToken],
      toRequest: (request) => {
        const plan = requestPlan(request, options);
        return { plan, body: bodyOf(plan, options) };
      },
      send: async (client, { body, plan }, call) => {
        const message = await streamMessage(client, body, plan, call);
        // Thrown here, so that keys are removed from the text that a server quotes.
        if (isErrorAnswer(message)) throw Object.assign(new Error('the answer is an error'), { error: message });
        return { plan, message };
      },
      fromResponse: ({ message, plan }, _request, prices) => completionOf(message, plan, prices),
      toLLMError,
      countTokens: async (client, { body }, { signal, timeoutMs }) => {
        const { input_tokens } = await client.messages.countTokens(countedBody(body), { timeout: timeoutMs, signal });
        return input_tokens;
      },
    },
  );
}

/** Returns the part of the body that is counted. The answer limit and the cache marks do not change the count. */
function countedBody({ max_tokens: _, ...body }: Body): Anthropic.MessageCountTokensParams {
  return body;
}
