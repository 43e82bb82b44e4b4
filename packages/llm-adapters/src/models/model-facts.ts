import { claudeNewest, claudeRows } from './claude-models.js';
import { compatibleNewest, compatibleRows } from './compatible-models.js';
import type { Behaviour, ModelFacts, ModelProvider, ModelRow } from './model-behaviour.js';
import { openaiNewest, openaiRows } from './openai-models.js';

export type { Effort, ModelFacts, ModelProvider } from './model-behaviour.js';

/**
 * Returns the known facts of a model. A model that is not in the table gets the behaviour of its provider's newest,
 * with `isAssumed`, and no window, since a wrong one does harm. `overrides` win over both.
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

/** Returns the row of a model behind a router, which keeps its size. How the router is asked is the router's affair. */
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

/** Every model that this version knows. */
export const modelTable: readonly ModelRow[] = [...claudeRows, ...openaiRows, ...compatibleRows];

/** The facts assumed for a model that is not in the table. They hold no limits, because a wrong limit does harm. */
const newestOf: Readonly<Record<ModelProvider, Behaviour>> = {
  anthropic: claudeNewest,
  openai: openaiNewest,
  compatible: compatibleNewest,
};

/**
 * Returns the name of a model in the tables: without the prefixes and suffixes of routers and clouds (`openai/`,
 * `us.anthropic.`, `-v1:0`, `@20251001`, `:free`, `[1m]`), without the snapshot date, in lower case, and with hyphens
 * in version numbers if it is an Anthropic name.
 */
export function modelName(model: string): string {
  const bare = model
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/^(?:[a-z]{2,6}\.)?anthropic\./, '')
    .replace(/-v\d+:\d+$/, '')
    .replace(/\[\d+[km]\]$/, '')
    .replace(/[@:][\w.-]*$/, '')
    .replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, '')
    .replace(/-latest$/, '');
  return bare.startsWith('claude-') ? bare.replace(/\./g, '-') : bare;
}
