import type OpenAI from 'openai';
import { assertModel } from '../request-check.js';
import { assertOptions, isBoolean, isObject, isOneOf, isText } from '../options.js';
import type { OptionChecks } from '../options.js';
import { sdkLLM, sdkOptionChecks } from '../sdk-llm.js';
import { environmentVariable, lazySdk, plainAnswer, withOwnRedirects } from '../sdk-client.js';
import type { LLM } from '../llm.js';
import { modelFacts } from '../models/model-facts.js';
import type { SdkLLMOptions } from '../sdk-llm.js';
import { toolNames } from '../wire/tool-names.js';
import { doneMarkers, responseOfStream } from './chat/stream.js';
import { errorInResponse, withReadableBodies } from './error-body.js';
import { fromChatCompletion } from './chat/response.js';
import { toLLMError } from './map-error.js';
import type { OpenAIModelOptions } from './chat/request.js';
import { fromResponse } from './responses/response.js';
import { responseOfEvents } from './responses/stream.js';
import { toResponsesRequest } from './responses/request.js';
import { isThisMachine } from '../http-failure.js';
import { profileOfAddress, serverProfile } from './server-profile.js';
import type { ServerName, ServerProfile } from './server-profile.js';
import { toChatCompletionsRequest } from './chat/request.js';

/**
 * Options of {@link openaiLLM}. `apiKey` defaults to the variable `OPENAI_API_KEY`, and no key is needed for a server on the
 * local machine. `baseURL` names a server that speaks OpenAI's protocol and defaults to the variable `OPENAI_BASE_URL`, else to
 * OpenAI. `maxOutputTokens` defaults to the provider's.
 */
export interface OpenAILLMOptions extends SdkLLMOptions, OpenAIModelOptions {
  /** @defaultValue `responses` for OpenAI's models that refuse tools with reasoning elsewhere, else `chat-completions` */
  readonly api?: 'chat-completions' | 'responses';
  /**
   * The server's profile, by name or field by field. @defaultValue the profile of its address; `compatible` if the address is
   * unknown
   */
  readonly server?: ServerName | ServerProfile;
  /** The summaries of the reasoning to request, which then come as thinking. Responses only. @defaultValue none */
  readonly reasoningSummary?: 'auto' | 'concise' | 'detailed';
}

const optionChecks: OptionChecks<OpenAILLMOptions> = {
  ...sdkOptionChecks,
  api: isOneOf('chat-completions', 'responses'),
  // Which names there are is said by `serverProfile`.
  server: (value) =>
    [isText(value), isObject(value)].includes(undefined) ? undefined : 'the name of a profile, or a profile',
  reasoningSummary: isOneOf('auto', 'concise', 'detailed'),
  parallelToolCalls: isBoolean,
  cacheTtl: isOneOf('30m', '12h'),
};

const defaultBaseURL = 'https://api.openai.com/v1';

const loadOpenAI = lazySdk({
  provider: 'openai',
  packageName: 'openai',
  load: () => import('openai'),
});

/** A request of either API, tagged with the API. */
type Body =
  | {
      readonly api: 'chat-completions';
      readonly body: OpenAI.Chat.ChatCompletionCreateParamsNonStreaming;
      readonly names: Names;
    }
  | {
      readonly api: 'responses';
      readonly body: OpenAI.Responses.ResponseCreateParamsNonStreaming;
      readonly names: Names;
    };
type Names = ReturnType<typeof toolNames>;

type Answer =
  | { readonly api: 'chat-completions'; readonly response: OpenAI.Chat.ChatCompletion }
  | { readonly api: 'responses'; readonly response: OpenAI.Responses.Response };

/**
 * Returns a model of OpenAI, or of a server that speaks its protocol, through the package `openai`, an optional peer
 * that is loaded at the first call. OpenAI's newer models are called through the Responses API, stateless; all other
 * models through Chat Completions. A request with `onDelta` is streamed.
 *
 * @throws {@link InvalidRequestError} when there is no model, an option is unknown or wrong, or `server` is not a known profile name.
 *
 * @example
 * ```ts
 * const llm = openaiLLM({ model: 'gpt-6-luna' });
 * const { message } = await llm.complete({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] });
 *
 * const local = openaiLLM({ model: 'qwen3', baseURL: 'http://localhost:11434/v1' });
 * ```
 */
export function openaiLLM(options: OpenAILLMOptions): LLM {
  const { model } = options;
  assertOptions(options, optionChecks, 'openai');
  assertModel(model, 'openai');
  const baseURL = options.baseURL ?? environmentVariable('OPENAI_BASE_URL') ?? defaultBaseURL;
  const profile = profileFrom(options.server, baseURL);
  const known = modelFacts(model, profile.name === 'openai' ? 'openai' : 'compatible', options.facts);
  const facts = profile.reasoning === 'with-calls' ? { ...known, plainReasoning: profile.reasoning } : known;
  const api =
    options.api ?? (facts.provider === 'openai' && facts.needsResponsesForTools ? 'responses' : 'chat-completions');
  const requestOptions = { ...options, server: profile, facts };
  const markers = profile.endOfStream === 'done' ? doneMarkers() : undefined;
  const fetch = withReadableBodies(withOwnRedirects((...sent) => globalThis.fetch(...sent)));

  return sdkLLM<OpenAI, Body, Answer>(options, {
    provider: 'openai',
    facts,
    baseURL,
    newClient: async () => {
      const { default: OpenAIClient } = await loadOpenAI(options.importModule);
      const apiKey =
        options.apiKey ?? environmentVariable('OPENAI_API_KEY') ?? (isThisMachine(baseURL) ? 'none' : undefined);
      return new OpenAIClient({
        baseURL,
        maxRetries: 0,
        // Errors are thrown. The SDK's log would also print them, with text of the conversation.
        ...(environmentVariable('OPENAI_LOG') === undefined ? { logLevel: 'off' as const } : {}),
        fetch: markers?.watching(fetch) ?? fetch,
        ...(apiKey === undefined ? {} : { apiKey }),
        ...(options.headers === undefined ? {} : { defaultHeaders: options.headers }),
      });
    },
    keysOf: (client) => [client.apiKey],
    toRequest: (request) => {
      const names = toolNames(request);
      return api === 'responses'
        ? { api, names, body: toResponsesRequest(request, requestOptions) }
        : { api, names, body: toChatCompletionsRequest(request, requestOptions) };
    },
    send: async (client, sent, { signal, timeoutMs, onDelta, onActivity, onUsage }) => {
      const how = { signal, timeout: timeoutMs };
      const nameOf = (name: string) => sent.names.fromWire(name);
      if (sent.api === 'responses') {
        if (onDelta === undefined)
          return { api: sent.api, response: answerIn(await client.responses.create(sent.body, how)) };
        const asked = client.responses.create({ ...sent.body, stream: true }, how);
        const { data: events, response: http } = await asked.withResponse();
        const plain = (await plainAnswer(http)) as OpenAI.Responses.Response | undefined;
        const response = plain === undefined ? await responseOfEvents(events, onDelta, nameOf, onActivity) : plain;
        return { api: sent.api, response: answerIn(response) };
      }
      if (onDelta === undefined) {
        return { api: sent.api, response: answerIn(await client.chat.completions.create(sent.body, how)) };
      }
      const streamed = {
        stream: true as const,
        ...(profile.asksForStreamUsage ? { stream_options: { include_usage: true } } : {}),
      };
      const asked = client.chat.completions.create({ ...sent.body, ...streamed }, how);
      const { data: chunks, response: http } = await asked.withResponse();
      const plain = (await plainAnswer(http)) as OpenAI.Chat.ChatCompletion | undefined;
      const hasEnded = () => markers?.hasEnded(http) === true;
      const end = { hasEnded, onUsage };
      const response = plain === undefined ? await responseOfStream(chunks, onDelta, nameOf, onActivity, end) : plain;
      return { api: sent.api, response: answerIn(response) };
    },
    fromResponse: (answer, request, prices) => {
      const reading = { request, model, prices };
      return answer.api === 'responses'
        ? fromResponse(answer.response, reading)
        : fromChatCompletion(answer.response, reading);
    },
    toLLMError,
  });
}

function profileFrom(server: ServerName | ServerProfile | undefined, baseURL: string): ServerProfile {
  if (server === undefined) return profileOfAddress(baseURL);
  return typeof server === 'string' ? serverProfile(server) : server;
}

/** Returns the response, if it is no error with status 200. */
function answerIn<Response>(response: Response): Response {
  const error = errorInResponse(response);
  if (error !== undefined) throw error;
  return response;
}
