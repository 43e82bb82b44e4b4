// What a consumer's compiler sees of every entry.
import type { LLM, ModelFacts, TokenPrices } from '@palimpsest/llm-adapters';
import { anthropicLLM, toMessagesRequest } from '@palimpsest/llm-adapters/anthropic';
import { openaiLLM, toChatCompletionsRequest } from '@palimpsest/llm-adapters/openai';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { counterFor } from '@palimpsest/llm-adapters/tokens';

export const models: readonly LLM[] = [
  openaiLLM({ model: 'gpt-6-sol', retry: { attempts: 1 } }),
  anthropicLLM({ model: 'claude-opus-5-5', timeoutMs: 1_000 }),
];
export const facts: readonly (ModelFacts | undefined)[] = models.map((model) => model.facts);
export const prices: readonly (TokenPrices | undefined)[] = models.map((model) => model.prices);
export const counters = models.map((model) => counterFor(model));
export const used = [toMessagesRequest, toChatCompletionsRequest, scriptedLLM];
