import { claudeNewest, claudeRows } from './claude-models.js';
import { compatibleNewest, compatibleRows } from './compatible-models.js';
import type { Behaviour, ModelProvider, ModelRow } from './model-behaviour.js';
import { openaiNewest, openaiRows } from './openai-models.js';

/** Every model that this version knows. */
export const modelTable: readonly ModelRow[] = [...claudeRows, ...openaiRows, ...compatibleRows];

/** The facts assumed for a model that is not in the table. They hold no limits, because a wrong limit does harm. */
export const newestOf: Readonly<Record<ModelProvider, Behaviour>> = {
  anthropic: claudeNewest,
  openai: openaiNewest,
  compatible: compatibleNewest,
};
