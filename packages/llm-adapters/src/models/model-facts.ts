import type { ModelFacts, ModelProvider, ModelRow } from './model-behaviour.js';
import { modelName } from './model-name.js';
import { modelTable, newestOf } from './model-table.js';

export type { Effort, ModelFacts, ModelProvider, ThinkingControl } from './model-behaviour.js';

/**
 * What is known of a model. One that is not in the table gets the behaviour of its provider's newest, with `isAssumed`, and
 * no window, since a wrong one does harm. `overrides` win over both.
 *
 * @example
 * ```ts
 * modelFacts('claude-opus-5-5', 'anthropic').thinking; // 'prefix-bound'
 * ```
 */
export function modelFacts(model: string, provider: ModelProvider, overrides: Partial<ModelFacts> = {}): ModelFacts {
  // A model trained further behaves as the one that it comes from.
  const name = modelName(model.replace(/^ft:([^:]+):.*$/, '$1'));
  const row =
    modelTable.find((candidate) => candidate.provider === provider && candidate.models.includes(name)) ??
    (provider === 'compatible' ? elsewhere(name) : undefined);
  if (row === undefined) return { ...newestOf[provider], isAssumed: true, ...overrides };
  const { models: _, ...facts } = row;
  return { ...facts, isAssumed: false, ...overrides };
}

/** A model behind a router keeps its size; how the router is asked is the router's affair. */
function elsewhere(name: string): ModelRow | undefined {
  const row = modelTable.find(({ models }) => models.includes(name));
  if (row === undefined) return undefined;
  const { models, contextWindow, maxInputTokens, maxOutputTokens, charsPerToken, acceptsSampling } = row;
  return {
    ...newestOf.compatible,
    models,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxInputTokens === undefined ? {} : { maxInputTokens }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    charsPerToken,
    acceptsSampling,
  };
}
