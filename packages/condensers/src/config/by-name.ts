import type { LLM } from '@palimpsest/llm-adapters';
import type { Condenser } from '@palimpsest/view';
import { CondenserNotFoundError, InvalidCondenserConfigError } from '../authoring/definition/errors.js';
import { ownCondensers } from './own-condensers.js';

/** The names that {@link condenserByName} knows. */
export const condenserNames: readonly string[] = /* @__PURE__ */ Object.freeze([...ownCondensers.keys()]);

/** The names among {@link condenserNames} that need a model. */
export const condenserNamesWithModel: readonly string[] = /* @__PURE__ */ Object.freeze(
  condenserNames.filter((name) => ownCondensers.get(name)?.asksModel === true),
);

/** The options of condensers that have no defaults: the pipeline masks first and summarises if that is not enough. */
const usualOptions: Readonly<Record<string, () => object>> = {
  pipeline: () => ({ stages: ['observationMasking', 'extractiveSummary'].map((name) => condenserByName(name)) }),
  slidingWindow: () => ({ compactionInterval: 3, overlapSize: 1 }),
};

/**
 * A condenser with its defaults, by name.
 *
 * @param options `llm`: the model of the condensers that need one; the others ignore it.
 * @throws {@link CondenserNotFoundError} when no condenser has this name; lists the known names.
 * @throws {@link InvalidCondenserConfigError} when it needs a model and none is given.
 */
export function condenserByName(name: string, { llm }: { readonly llm?: LLM | undefined } = {}): Condenser {
  const definition = ownCondensers.get(name);
  if (definition === undefined) throw new CondenserNotFoundError(name, condenserNames);
  if (definition.asksModel && llm === undefined) {
    const others = condenserNames.filter((other) => !condenserNamesWithModel.includes(other));
    const reason = `is missing: it asks a model. Without one there are: ${others.join(', ')}`;
    throw new InvalidCondenserConfigError({ condenser: name, option: 'llm', reason });
  }
  return definition.create(usualOptions[name]?.(), { llm });
}
