import { AuthenticationError, InvalidRequestError } from '../errors.js';
import { isThisMachine, shownAddress } from '../http-failure.js';
import type { LLM } from '../llm.js';
import { modelFacts } from '../models/model-facts.js';
import { assertOptions, isObject, isText } from '../options.js';
import type { OptionChecks } from '../options.js';
import { sdkOptionChecks } from '../sdk-llm.js';
import { assertModel } from '../request-check.js';
import { environmentVariable } from '../sdk-client.js';
import type { SdkLLMOptions } from '../sdk-llm.js';
import { modelProviders } from './model-providers.js';
import type { ModelProvider } from './model-providers.js';

/** Options of {@link llmByName}. */
export interface LLMByNameOptions extends Pick<
  SdkLLMOptions,
  'contextWindow' | 'effort' | 'importModule' | 'maxOutputTokens' | 'retry' | 'timeoutMs'
> {
  /**
   * The address of another server, which speaks OpenAI's Chat Completions. The name is then that server's own and sent as it is
   * written, slashes included. Only a local server's name (`ollama/`, `vllm/` …) and a provider with a colon (`anthropic:`) are
   * taken from its front. They say how the server speaks (`openai:` and a model of OpenAI's: as OpenAI itself). No key is needed:
   * the one in `PALIMPSEST_API_KEY` is sent if there is one. A provider's own key is sent to the provider's own address alone.
   * @defaultValue the provider's address
   */
  readonly baseURL?: string | undefined;
  /** The source of keys and addresses. @defaultValue the environment of the process */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

const { contextWindow, effort, importModule, maxOutputTokens, retry, timeoutMs } = sdkOptionChecks;
const optionChecks: OptionChecks<LLMByNameOptions> = {
  ...{ contextWindow, effort, importModule, maxOutputTokens, retry, timeoutMs },
  baseURL: isText,
  env: isObject,
};

/** The variable with the key of a server of your own. */
export const serverKeyVariable = 'PALIMPSEST_API_KEY';

/**
 * Returns the model of a name: `provider/name`, such as `anthropic/claude-opus-5-5` or `ollama/qwen3:8b`, with the key
 * from the environment. `provider:name` is the same. A name without a provider is Anthropic's if it begins with
 * `claude`, otherwise OpenAI's. The adapter is loaded by this call, the provider's package by the first request.
 *
 * @throws {@link MissingApiKeyError} when the provider's key is not in the environment.
 * @throws {@link UnknownProviderError} when there is no such provider.
 * @throws {@link InvalidRequestError} when the name is empty, the address is none, or an option is unknown or wrong.
 *
 * @example
 * ```ts
 * const llm = await llmByName('deepseek/deepseek-chat');
 * const local = await llmByName('qwen/qwen3-coder', { baseURL: 'http://localhost:1234/v1' });
 * ```
 */
export async function llmByName(name: string, options: LLMByNameOptions = {}): Promise<LLM> {
  assertOptions(options, optionChecks, 'llmByName');
  const { baseURL, env, ...rest } = options;
  const variable = (key: string) => (env === undefined ? environmentVariable(key) : env[key]?.trim()) || undefined;
  const place = baseURL === undefined ? placeOfName(name, variable) : placeOfAddress(name, baseURL, variable);
  const { provider, model, apiKey } = place;
  assertModel(model, provider.protocol);
  const common = { ...rest, model, baseURL: place.baseURL, apiKey };
  if (provider.protocol === 'anthropic') return (await import('../anthropic/llm.js')).anthropicLLM(common);
  const { openaiLLM } = await import('../openai/llm.js');
  const server = isOpenAIs(name, place) ? 'openai' : provider.server;
  return openaiLLM(server === undefined ? common : { ...common, server });
}

/** The provider and the model's name there, as a name without an address states them. */
export interface ModelPlace {
  readonly provider: ModelProvider;
  readonly model: string;
}

/**
 * Returns the provider and the model of a name without an address. @throws {@link UnknownProviderError} when there is
 * no such provider.
 */
export function providerOfModel(name: string): ModelPlace {
  const { prefix, separator, rest } = partsOf(name);
  const provider = providerNamed(prefix);
  if (provider !== undefined) return { provider, model: rest };
  if (separator === '/') throw new UnknownProviderError(name, prefix);
  return { provider: name.startsWith('claude') ? anthropic : openai, model: name };
}

interface ReachablePlace extends ModelPlace {
  readonly baseURL: string;
  readonly apiKey: string;
}

type Variable = (name: string) => string | undefined;

const [anthropic, openai] = modelProviders as unknown as readonly [ModelProvider, ModelProvider];

/** The key for servers that ask for none, because the SDKs insist on one. */
const noKey = 'none';

function placeOfName(name: string, variable: Variable): ReachablePlace {
  const { provider, model } = providerAt(name, variable);
  const { keyVariable, baseUrlVariable } = provider;
  const other = baseUrlVariable === undefined ? undefined : variable(baseUrlVariable);
  const baseURL = other === undefined ? provider.baseURL : checkedAddress(other, `the variable ${baseUrlVariable}`);
  if (keyVariable === undefined) return { provider, model, baseURL, apiKey: noKey };
  const apiKey = variable(keyVariable) ?? (isThisMachine(baseURL) ? noKey : undefined);
  if (apiKey === undefined) throw new MissingApiKeyError(name, { provider: provider.name, variable: keyVariable });
  return { provider, model, baseURL, apiKey };
}

/** Finds the provider of a name. A server behind `OPENAI_BASE_URL` can have names of its own, with slashes. */
function providerAt(name: string, variable: Variable): ModelPlace {
  try {
    return providerOfModel(name);
  } catch (error) {
    if (variable('OPENAI_BASE_URL') === undefined) throw error;
    return { provider: openai, model: name };
  }
}

function placeOfAddress(name: string, address: string, variable: Variable): ReachablePlace {
  const baseURL = checkedAddress(address, 'the base URL');
  const { prefix, separator, rest } = partsOf(name);
  const named = providerNamed(prefix);
  // `openai/gpt-oss-20b` is the whole name of a model on many servers; a local server's name is part of none.
  const isStated = named !== undefined && (separator === ':' || named.keyVariable === undefined);
  const owner = modelProviders.find((one) => one.keyVariable !== undefined && hostOf(one.baseURL) === hostOf(baseURL));
  const apiKey = variable(owner?.keyVariable ?? serverKeyVariable) ?? variable(serverKeyVariable) ?? noKey;
  const provider = (isStated ? named : owner) ?? openai;
  // Anthropic's SDK adds the version to the address itself.
  const at = provider.protocol === 'anthropic' ? baseURL.replace(/\/v1\/?$/, '') : baseURL;
  return { provider, model: isStated ? rest : name, baseURL: at, apiKey };
}

/**
 * Returns true if the name says that the model is OpenAI's, and it is one that we know: then the address is a gateway
 * to OpenAI, whatever its host. Some of these models take tools in the Responses API alone.
 */
function isOpenAIs(name: string, { provider, model }: ModelPlace): boolean {
  const isStated = provider === openai && model !== name;
  return isStated && !modelFacts(model, 'openai').isAssumed;
}

function partsOf(name: string): { readonly prefix: string; readonly separator: string; readonly rest: string } {
  const [, prefix = '', separator = '', rest = ''] = /^([^/:]*)([/:])(.*)$/s.exec(name) ?? [];
  return { prefix, separator, rest };
}

function providerNamed(name: string): ModelProvider | undefined {
  return modelProviders.find((one) => one.name === name.toLowerCase());
}

function hostOf(address: string): string {
  return new URL(address).host;
}

function checkedAddress(address: string, what: string): string {
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return address;
  throw new InvalidRequestError(
    `${what} must be an address with http:// or https://, such as http://localhost:8000/v1, not ${shownAddress(address)}`,
    { provider: 'openai' },
  );
}

/** The environment variable with the key of the model's provider is not set. */
export class MissingApiKeyError extends AuthenticationError {
  static override get typeName(): string {
    return 'MissingApiKeyError';
  }

  /** The variable to set. */
  readonly variable: string;

  constructor(model: string, options: { readonly provider: string; readonly variable: string }) {
    super(
      `The model '${model}' is ${options.provider}'s and needs a key: set the environment variable ${options.variable}. ` +
        'A subscription (Claude Pro or Max, ChatGPT Plus) does not work here: you need a key of the API.',
      { provider: options.provider },
    );
    this.variable = options.variable;
  }
}

/** A model's name begins with no provider that is known. */
export class UnknownProviderError extends InvalidRequestError {
  static override get typeName(): string {
    return 'UnknownProviderError';
  }

  constructor(model: string, provider: string) {
    const known = modelProviders.map(({ name }) => name).join(', ');
    super(
      `The model '${model}' names no known provider: '${provider}' is none of ${known}. ` +
        'For a model of another server, give the name that the server has for it, and the address of the server (base URL).',
      { provider },
    );
  }
}
