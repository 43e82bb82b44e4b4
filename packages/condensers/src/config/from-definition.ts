import type { LLM } from '@palimpsest/llm-adapters';
import type { Condenser } from '@palimpsest/view';
import type { CondenserDefinition, CondenserHost } from '../authoring/define-condenser.js';
import { InvalidCondenserConfigError } from '../authoring/errors.js';
import { checkedOptions } from '../authoring/options/checked-options.js';
import { wrongOption } from './host-parts.js';

/** Where a configuration names a condenser, and what the host adds to its options. */
export interface DefinitionPlace {
  /** For messages: the condenser, or the package that it comes from. */
  readonly subject: string;
  /** Where the options stand in the configuration; empty at its top. */
  readonly path: string;
  /** The names that a message lists. @defaultValue those of the schema */
  readonly known?: readonly string[];
  readonly host: CondenserHost;
  /** The host's own model, where the configuration names none. @throws where the host has none */
  readonly defaultModel: () => Promise<LLM>;
}

/** Makes the condenser of a definition, ours or a package's. @throws {@link InvalidCondenserConfigError} that names the option's place. */
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
