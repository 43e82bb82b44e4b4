import type { Completion, LLM } from '@palimpsest/llm-adapters';
import { anthropicLLM } from '@palimpsest/llm-adapters/anthropic';
import { openaiLLM } from '@palimpsest/llm-adapters/openai';
import { HarnessError } from '../harness-error.js';
import type { TokenUse } from '../measure/money.js';
import type { Summariser } from './stub-summarizer.js';

const providers = {
  openai: { variable: 'OPENAI_API_KEY', create: openaiLLM },
  anthropic: { variable: 'ANTHROPIC_API_KEY', create: anthropicLLM },
} as const;

/** Returns the provider and the name of a model that is given as `provider/name`. @throws {@link HarnessError} `invalid-summariser` for other text. */
function parsed(model: string) {
  const [, provider = '', name = ''] = /^([^/]+)\/(.+)$/.exec(model) ?? [];
  const known = Object.entries(providers).find(([key]) => key === provider)?.[1];
  if (known === undefined) {
    const reason = `must be one of these, a slash, and the model's name: ${Object.keys(providers).join(', ')}`;
    throw invalidSummariser(model, reason);
  }
  return { ...known, name };
}

/** @throws {@link HarnessError} `invalid-summariser` when the provider is unknown or its key is not in the environment. */
export function assertSummariser(model: string): void {
  const { variable } = parsed(model);
  if ((process.env[variable] ?? '') === '')
    throw invalidSummariser(model, `needs a key: set the environment variable ${variable}`);
}

/** Makes the summariser of one replay. @param model as `provider/name`; undefined: the stand-in */
export function summariserFor(model: string | undefined): (() => Summariser) | undefined {
  if (model === undefined) return undefined;
  const { name, create, variable } = parsed(model);
  return () => {
    const each: TokenUse[] = [];
    const asked = create({ model: name, apiKey: process.env[variable] ?? '' });
    const llm: LLM = {
      ...asked,
      complete: async (request) => {
        const completion = await asked.complete(request);
        each.push(useOf(completion));
        return completion;
      },
    };
    return { llm, used: { each } };
  };
}

function useOf({ usage }: Completion): TokenUse {
  return {
    cacheRead: usage.cacheReadTokens,
    cacheWrite: usage.cacheWriteTokens,
    input: usage.uncachedInputTokens,
    output: usage.outputTokens,
  };
}

function invalidSummariser(model: string, reason: string): HarnessError {
  return new HarnessError('invalid-summariser', `The summariser '${model}' ${reason}.`);
}
