import type { LLM } from '@palimpsest/llm-adapters';
import type { Condenser } from '@palimpsest/view';
import type { CondenserDefinition, CondenserHost } from '../authoring/definition/define-condenser.js';
import { InvalidCondenserConfigError } from '../authoring/definition/errors.js';
import { checkedOptions } from '../authoring/definition/options.js';
import { wrongOption } from './host-parts.js';

/** The place of a condenser in a configuration, and the host's part of its options. */
export interface DefinitionPlace {
  /** For messages: the condenser, or its package. */
  readonly subject: string;
  /** The place of the options in the configuration; empty at its top. */
  readonly path: string;
  /** The names that a message lists. @defaultValue those of the schema */
  readonly known?: readonly string[];
  readonly host: CondenserHost;
  /** The host's own model, used if the configuration names none. @throws when the host has none */
  readonly defaultModel: () => Promise<LLM>;
}

/**
 * Creates the condenser of a definition, built-in or from a package. @throws {@link InvalidCondenserConfigError} that names the
 * option's place.
 */
export async function fromDefinition(
  definition: CondenserDefinition,
  options: Readonly<Record<string, unknown>>,
  place: DefinitionPlace,
): Promise<Condenser> {
  const { subject, path, host } = place;
  checkedOptions(definition.options, options, place);
  const llm = definition.asksModel ? (host.llm ?? (await place.defaultModel())) : host.llm;
  try {
    return definition.create(options, { ...host, llm });
  } catch (error) {
    if (!InvalidCondenserConfigError.isInstance(error)) throw error;
    throw wrongOption(subject, path, error.option, error.reason, error);
  }
}
