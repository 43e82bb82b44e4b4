import type { Condenser } from '@palimpsest/view';
import { CondenserNotFoundError } from './errors.js';
import { extractiveSummaryCondenser } from './extractive-summary.js';
import { noOpCondenser } from './no-op.js';
import { observationMaskingCondenser } from './observation-masking.js';
import { pipelineCondenser } from './pipeline.js';
import { recentEventsCondenser } from './recent-events.js';

/** The condensers that need nothing but their defaults, by name. `pipeline` masks first and summarises when that is not enough. */
const factories: Readonly<Record<string, () => Condenser>> = {
  noOp: noOpCondenser,
  recentEvents: recentEventsCondenser,
  observationMasking: observationMaskingCondenser,
  extractiveSummary: extractiveSummaryCondenser,
  pipeline: () => pipelineCondenser([observationMaskingCondenser(), extractiveSummaryCondenser()]),
};

/** The names that {@link condenserByName} knows. */
export const condenserNames: readonly string[] = Object.freeze(Object.keys(factories));

/**
 * A condenser with its defaults, by name.
 *
 * @throws {@link CondenserNotFoundError} when there is none of this name; lists the known ones.
 */
export function condenserByName(name: string): Condenser {
  const factory = Object.hasOwn(factories, name) ? factories[name] : undefined;
  if (factory === undefined) throw new CondenserNotFoundError(name, condenserNames);
  return factory();
}
