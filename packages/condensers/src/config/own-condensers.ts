import type { CondenserDefinition } from '../authoring/define-condenser.js';
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
  recentEvents,
  slidingWindow,
  structuredSummary,
} from '../index.js';

/** The condensers of ours, those without a model first: what a configuration, a command and the README's table list. */
const definitions = [
  noOp,
  recentEvents,
  observationMasking,
  browserOutput,
  amortizedForgetting,
  conversationWindow,
  extractiveSummary,
  pipeline,
  llmSummarizing,
  structuredSummary,
  llmAttention,
  slidingWindow,
] as const;

/** The name of a condenser of ours. */
export type OwnCondenserName = (typeof definitions)[number]['name'];

/** The condensers of ours by name. */
export const ownCondensers: ReadonlyMap<string, CondenserDefinition> = new Map(
  definitions.map((definition: CondenserDefinition) => [definition.name, definition]),
);
