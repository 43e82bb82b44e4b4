import type { LLM } from '@palimpsest/llm-adapters';
import { loadTemplate, PromptTemplateError } from '@palimpsest/templates';
import type { Template } from '@palimpsest/templates';
import type { Condenser } from '@palimpsest/view';
import type { CondenserDefinition, CondenserHost } from '../authoring/definition/define-condenser.js';
import { InvalidCondenserConfigError } from '../authoring/definition/errors.js';
import { checkedOptions, joined } from '../authoring/definition/options.js';

/** The parts that a configuration references by name and the host provides. */
export interface HostParts {
  /**
   * The model with a name from a configuration (`llm = "small"`). Undefined if there is none of this name.
   * @defaultValue none: a name is an error
   */
  readonly llm?: ((name: string) => LLM | undefined | Promise<LLM | undefined>) | undefined;
  /**
   * The agent's own model, or a function that returns it, for a condenser that needs a model and names none.
   * @defaultValue none: such a condenser is an error
   */
  readonly defaultLLM?: LLM | (() => LLM | Promise<LLM>) | undefined;
  /** Reads the template that `promptFile` names, and each that it includes. @defaultValue none: `promptFile` is an error */
  readonly readPrompt?: ((file: string) => string | Promise<string>) | undefined;
}

/** Returns the model that a configuration names. @throws {@link InvalidCondenserConfigError} when there is none. */
export async function modelOf(name: string, subject: string, path: string, { llm }: HostParts): Promise<LLM> {
  if (llm === undefined) {
    throw wrongOption(
      subject,
      path,
      'llm',
      `names the model '${name}', but the program passed no 'llm' function that makes models by name`,
    );
  }
  let model: LLM | undefined;
  try {
    model = await llm(name);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw wrongOption(subject, path, 'llm', `names the model '${name}', which could not be created: ${reason}`, cause);
  }
  if (model === undefined)
    throw wrongOption(
      subject,
      path,
      'llm',
      `names the model '${name}', which the 'llm' function of the program does not know`,
    );
  return model;
}

/** Returns the model of a condenser that names none. @throws {@link InvalidCondenserConfigError} when the host has none. */
export async function defaultModel(subject: string, path: string, { defaultLLM }: HostParts): Promise<LLM> {
  if (defaultLLM === undefined) {
    const reason = `is missing: name a model here, or pass one as 'defaultLLM' in the program that loads the configuration`;
    throw wrongOption(subject, path, 'llm', reason);
  }
  if (typeof defaultLLM !== 'function') return defaultLLM;
  try {
    return await defaultLLM();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw wrongOption(
      subject,
      path,
      'llm',
      `is missing, and the default model ('defaultLLM') could not be created: ${reason}`,
      cause,
    );
  }
}

/**
 * Loads the template from the file that a configuration names. @throws {@link InvalidCondenserConfigError} when it cannot be
 * read.
 */
export async function promptIn(
  file: string,
  subject: string,
  path: string,
  { readPrompt }: HostParts,
): Promise<Template> {
  if (readPrompt === undefined) {
    const reason = `names '${file}', but the program passed no 'readPrompt' function that reads files`;
    throw wrongOption(subject, path, 'promptFile', reason);
  }
  const read = async (name: string): Promise<string> => {
    try {
      return await readPrompt(name);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new PromptTemplateError(name, `could not be read: ${reason}`, { cause });
    }
  };
  try {
    return await loadTemplate({ locate: (name) => name, read }, file, { trimBlocks: true });
  } catch (error) {
    if (!PromptTemplateError.isInstance(error)) throw error;
    const place = error.line === undefined ? '' : `, line ${error.line},`;
    throw wrongOption(subject, path, 'promptFile', `'${error.file}'${place} ${error.reason}`, error);
  }
}

/** Returns the error of one option, with its place in the configuration. */
export function wrongOption(
  condenser: string,
  path: string,
  option: string,
  reason: string,
  cause?: unknown,
): InvalidCondenserConfigError {
  return new InvalidCondenserConfigError({ condenser, option: joined(path, option), reason, cause });
}

/** The place of a condenser in a configuration, and the host's part of its options. */
interface DefinitionPlace {
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
