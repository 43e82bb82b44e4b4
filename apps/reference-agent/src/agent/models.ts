import { minSecretLength } from '@palimpsest/agent';
import { PalimpsestError } from '@palimpsest/events';
import type { LLM, RetryOptions } from '@palimpsest/llm-adapters';
import { llmByName, MissingApiKeyError, modelProviders, serverKeyVariable } from '@palimpsest/llm-adapters/by-name';
import type { Effort } from '../settings/efforts.js';
import type { Settings } from '../settings/settings.js';

/** The settings name no model, or the key of the model's provider is not set. */
export class NoModelError extends PalimpsestError {
  static override get typeName(): string {
    return 'NoModelError';
  }

  constructor(reason: string, options?: { readonly cause?: unknown }) {
    super('no-model', `${reason}\nThe demo needs neither a key nor a server: palimpsest demo`, options);
  }
}

/** The cost is limited, and the price of a model that would be asked is not known. Nothing has been asked. */
class UnknownPriceError extends PalimpsestError {
  static override get typeName(): string {
    return 'UnknownPriceError';
  }

  constructor(model: string, maxCost: number) {
    super(
      'unknown-price',
      `The price of '${model}' is not known, so a limit of $${maxCost} (--max-cost, or maxCost in the configuration) cannot be kept. Limit the model calls instead (--max-steps), or name a model whose provider's own address has a known price.`,
    );
  }
}

/** @throws {@link UnknownPriceError} when the cost is limited and the model's price is not known. */
export function assertPriced({ model, prices }: LLM, maxCost: number | undefined): void {
  if (maxCost !== undefined && prices === undefined) throw new UnknownPriceError(model, maxCost);
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The models of a run. */
export interface ChosenModels {
  /** Does the work. */
  readonly llm: LLM;
  /** Writes summaries: the small model, or the same one. It has three tries, since its work has a deadline. */
  readonly smallLlm: LLM;
}

/** Options of {@link chooseModels}. */
export interface ChooseModelsOptions {
  /** Called for each failure after which a model is asked again. */
  readonly onRetry?: RetryOptions['onRetry'];
  /** The longest wait before a second try. Unit: milliseconds. @defaultValue 1,000 */
  readonly minDelayMs?: number | undefined;
}

/**
 * Returns the models that the settings name, with keys from the environment. `baseUrl` is where both are, unless `smallBaseUrl` says where the small
 * one is. `effort` is of the model that does the work, which is tried for `retrySeconds`.
 *
 * @throws {@link NoModelError} when there is no model or no key; {@link UnknownPriceError} as {@link assertPriced} does; the errors of `llmByName` for a name that is none.
 */
export async function chooseModels(
  {
    model,
    smallModel,
    baseUrl,
    smallBaseUrl = baseUrl,
    effort,
    toolCalls,
    retrySeconds,
    maxCost,
  }: Pick<Settings, 'model' | 'smallModel' | 'baseUrl' | 'effort' | 'toolCalls' | 'retrySeconds' | 'maxCost'> & {
    readonly smallBaseUrl?: string | undefined;
  },
  env: Environment,
  { onRetry, minDelayMs }: ChooseModelsOptions = {},
): Promise<ChosenModels> {
  if (model === undefined) throw new NoModelError(whatToSet(env));
  const few: RetryOptions = { onRetry, ...(minDelayMs === undefined ? {} : { minDelayMs }) };
  const maxTotalMs = retrySeconds * 1_000;
  const patient: RetryOptions = { ...few, attempts: Infinity, maxTotalMs, maxRetryAfterMs: maxTotalMs };
  const named = async (
    name: string,
    own: { baseURL: string | undefined; retry: RetryOptions; effort?: Effort | undefined },
  ): Promise<LLM> => {
    try {
      return await llmByName(name, { env, importModule: importSdk, ...own });
    } catch (error) {
      if (MissingApiKeyError.isInstance(error)) throw new NoModelError(error.message, { cause: error });
      throw error;
    }
  };
  const working = async (retry: RetryOptions): Promise<LLM> => {
    const asked = await named(model, { baseURL: baseUrl, retry, effort });
    if (toolCalls !== 'text') return asked;
    return (await import('@palimpsest/llm-adapters/text-tool-calls')).textToolCalls(asked);
  };
  const llm = await working(patient);
  const smallLlm =
    smallModel === undefined ? await working(few) : await named(smallModel, { baseURL: smallBaseUrl, retry: few });
  for (const each of [llm, smallLlm]) assertPriced(each, maxCost);
  return { llm, smallLlm };
}

/** Imported by the program itself, which has a way that takes less time: see load-module.ts. */
const importSdk = (name: string): Promise<unknown> =>
  name === 'openai' ? import('openai') : import('@anthropic-ai/sdk');

function whatToSet(env: Environment): string {
  const [found] = modelProviders.filter(({ keyVariable }) => keyVariable !== undefined && isSet(env[keyVariable]));
  const hint =
    found === undefined
      ? 'Set a key, such as ANTHROPIC_API_KEY or OPENAI_API_KEY, and name a model of its provider: --model provider/name. A server of your own needs no key: --base-url http://localhost:8000/v1 --model name. A subscription (Claude Pro or Max, ChatGPT Plus) does not work here: you need a key of the API.'
      : `${found.keyVariable} is set: name a model, --model ${found.name}/name, or model = "${found.name}/name" in the configuration (palimpsest config).`;
  return `No model is chosen. ${hint}`;
}

/** Returns the keys of the environment that a provider may ask for, by the names of their variables. */
export function apiKeys(env: Environment): Readonly<Record<string, string>> {
  const variables = modelProviders.flatMap(({ keyVariable }) => keyVariable ?? []);
  const keys = [...variables, serverKeyVariable].map((name) => [name, env[name]?.trim() ?? ''] as const);
  return Object.fromEntries(keys.filter(([, key]) => key.length >= minSecretLength));
}

/** Returns true if a variable of the environment holds something. */
export function isSet(value: string | undefined): boolean {
  return value !== undefined && value.trim() !== '';
}

/** Returns the model of a conversation that is looked at, answered or taken back: it is never asked. */
export function noModel(model = 'none'): LLM {
  return { model, complete: () => Promise.reject(new Error('No model is asked here.')) };
}

/** Returns the same model. `onCall` is called when a call begins (1) and when it ends (-1). */
export function withCallCount(llm: LLM, onCall: (change: 1 | -1) => void): LLM {
  const { model, contextWindow, prices, facts } = llm;
  return {
    model,
    contextWindow,
    prices,
    facts,
    countTokens: llm.countTokens?.bind(llm),
    complete: async (request) => {
      onCall(1);
      try {
        return await llm.complete(request);
      } finally {
        onCall(-1);
      }
    },
  };
}
