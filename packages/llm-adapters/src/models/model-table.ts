import { claudeNewest, claudeRows } from './claude-models.js';
import { compatibleNewest, compatibleRows } from './compatible-models.js';
import type { ModelFacts, ModelProvider } from './model-facts.js';
import { openaiNewest, openaiRows } from './openai-models.js';

/** What models of one kind have in common. */
export type Behaviour = Omit<ModelFacts, 'isAssumed'>;

/** The facts of one or more models. */
export interface ModelRow extends Behaviour {
  /** As {@link modelName} writes them. */
  readonly models: readonly string[];
}

/** Every model that this version knows. */
export const modelTable: readonly ModelRow[] = [...claudeRows, ...openaiRows, ...compatibleRows];

/** What is assumed of a model that is not in the table. No limits: a wrong one does harm. */
export const newestOf: Readonly<Record<ModelProvider, Behaviour>> = {
  anthropic: claudeNewest,
  openai: openaiNewest,
  compatible: compatibleNewest,
};
