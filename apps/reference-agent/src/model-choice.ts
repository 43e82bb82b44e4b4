import { minSecretLength } from '@palimpsest/agent';
import { PalimpsestError } from '@palimpsest/events';
import { anthropicLLM } from '@palimpsest/llm-adapters/anthropic';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import type { LLM } from '@palimpsest/llm-adapters';
import { offlineModel } from './offline-model/offline-model.js';
import { samplePlan } from './offline-model/sample-plan/index.js';

/** The environment variable with the key of the model's provider is not set. */
export class MissingApiKeyError extends PalimpsestError {
  static override get typeName(): string {
    return 'MissingApiKeyError';
  }

  readonly variable: string;

  constructor(model: string, variable: string) {
    super(
      'missing-api-key',
      `The model '${model}' needs a key: set the environment variable ${variable}. Without --model the demo runs offline.`,
    );
    this.variable = variable;
  }
}

/**
 * The model of a name: without one the offline model; `claude…` and `anthropic:…` is Anthropic's; everything else, and
 * `openai:…`, is OpenAI's or a compatible server's (`OPENAI_BASE_URL`).
 *
 * @throws {@link MissingApiKeyError} when the provider's key is not in the environment.
 */
export function chooseModel(name: string | undefined, env: Readonly<Record<string, string | undefined>>): LLM {
  if (name === undefined) return offlineModel({ plan: samplePlan });
  const { provider, model } = providerOf(name);
  const variable = keyVariables[provider];
  const apiKey = env[variable];
  if (apiKey === undefined || apiKey === '') throw new MissingApiKeyError(model, variable);
  return provider === 'anthropic' ? anthropicLLM({ model, apiKey }) : openaiLLM({ model, apiKey });
}

/** The keys of the environment that may be asked for, by the names of their variables. */
export function apiKeys(env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const keys = Object.values(keyVariables).map((variable) => [variable, env[variable]?.trim() ?? ''] as const);
  return Object.fromEntries(keys.filter(([, key]) => key.length >= minSecretLength));
}

const keyVariables = { anthropic: 'ANTHROPIC_API_KEY', openai: 'OPENAI_API_KEY' } as const;

function providerOf(name: string): { readonly provider: 'openai' | 'anthropic'; readonly model: string } {
  const prefix = /^(openai|anthropic):(.+)$/.exec(name);
  if (prefix?.[1] !== undefined && prefix[2] !== undefined) {
    return { provider: prefix[1] as 'openai' | 'anthropic', model: prefix[2] };
  }
  return { provider: name.startsWith('claude') ? 'anthropic' : 'openai', model: name };
}
