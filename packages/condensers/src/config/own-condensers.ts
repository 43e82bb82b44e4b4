import type { CondenserDefinition } from '../authoring/definition/define-condenser.js';
import {
  amortizedForgetting,
  browserOutput,
  conversationWindow,
  extractiveSummary,
  llmAttention,
  llmSummarizing,
  noOp,
  observationMasking,
  pipeline,
  priced,
  recentEvents,
  slidingWindow,
  structuredSummary,
} from '../index.js';

/** The built-in condensers, those without a model first: the list for configurations, commands and the README's table. */
const definitions = [
  noOp,
  recentEvents,
  observationMasking,
  browserOutput,
  amortizedForgetting,
  conversationWindow,
  extractiveSummary,
  priced,
  pipeline,
  llmSummarizing,
  structuredSummary,
  llmAttention,
  slidingWindow,
] as const;

/** The name of a built-in condenser. */
export type OwnCondenserName = (typeof definitions)[number]['name'];

/** The built-in condensers by name. */
export const ownCondensers: ReadonlyMap<string, CondenserDefinition> = new Map(
  definitions.map((definition: CondenserDefinition) => [definition.name, definition]),
);
