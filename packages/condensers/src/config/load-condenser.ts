import type { CreateEvent } from '@palimpsest/events';
import type { Condenser } from '@palimpsest/view';
import type { CondenserDefinition } from '../authoring/definition/define-condenser.js';
import { CondenserNotFoundError, InvalidCondenserConfigError } from '../authoring/definition/errors.js';
import { checkedOptions, invalidOptions, joined, optionNames, shown } from '../authoring/definition/options.js';
import { noStages } from '../authoring/definition/stages.js';
import { noOpCondenser, pipelineCondenser, pricedCondenser } from '../index.js';
import type { PricedOptions } from '../index.js';
import { isTable, readConfig } from './config-source.js';
import { defaultModel, fromDefinition, modelOf, promptIn, wrongOption } from './host-parts.js';
import type { HostParts } from './host-parts.js';
import { ownCondensers, ownType, withOwnNames } from './own-condensers.js';
import type { ConfigNote, OwnCondenserName } from './own-condensers.js';
import { packageCondenser } from './package-condenser.js';
import type { ImportModule } from './package-condenser.js';

/** The parts that only the program that loads a configuration can supply. */
export interface LoadCondenserOptions extends HostParts {
  /**
   * The default condenser, or a function that returns it, used if none is named and the default is not switched off.
   * @defaultValue none
   */
  readonly defaultCondenser?: Condenser | (() => Condenser | Promise<Condenser>) | undefined;
  /**
   * Imports the package that `use` names. Never called with a path. @defaultValue `import()` from this package; a program whose
   * packages are installed elsewhere passes its own: `(name) => import(name)`
   */
  readonly importModule?: ImportModule | undefined;
  /** Sections of the same file that other programs read. @defaultValue `['llm']` */
  readonly otherSections?: readonly string[] | undefined;
  /** Creates the condensations. @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent | undefined;
}

type OwnConfig = { readonly type: Exclude<OwnCondenserName, 'pipeline' | 'priced'> } & Readonly<
  Record<string, unknown>
>;

/** The description of one condenser: a type with its options, a pipeline of descriptions, or a third-party package. */
export type CondenserConfig =
  | OwnConfig
  | { readonly type: 'pipeline'; readonly stages: readonly CondenserConfig[] }
  | ({ readonly type: 'priced'; readonly stages?: readonly CondenserConfig[] | undefined } & Omit<
      PricedOptions,
      'stages' | 'createEvent'
    >)
  | {
      readonly use: string;
      readonly llm?: string | undefined;
      readonly options?: Readonly<Record<string, unknown>> | undefined;
    }
  | V0CondenserConfig;

/** The type of a condenser in OpenHands V0, with its options under their V0 names. */
export type V0CondenserConfig = {
  readonly type:
    | 'noop'
    | 'observation_masking'
    | 'browser_output_masking'
    | 'recent'
    | 'llm'
    | 'amortized'
    | 'llm_attention'
    | 'structured'
    | 'conversation_window';
} & Readonly<Record<string, unknown>>;

/** A configuration: a condenser, or a document that holds one. */
export type CondenserConfigDocument =
  | CondenserConfig
  | ({ readonly condenser?: CondenserConfig | undefined; readonly core?: DefaultSwitch | undefined } & DefaultSwitch);

/** True if the host's default condenser is used where none is named. The second name is that of OpenHands V0. */
interface DefaultSwitch {
  readonly enableDefaultCondenser?: boolean | undefined;
  readonly enable_default_condenser?: boolean | undefined;
}

/** Deeper nesting is a mistake. Unit: pipelines. */
const deepest = 16;
const types = [...ownCondensers.keys()];

/** A condenser, and the names in its configuration that were read as other names. */
export interface LoadedCondenser {
  readonly condenser: Condenser;
  /** Notes for the author of the configuration. Empty if every name is one of ours. */
  readonly notes: readonly ConfigNote[];
  /**
   * The part of the configuration that describes the condenser, as its author wrote it. Undefined if the configuration names none, and the
   * host's default or `noOp` was taken.
   */
  readonly description?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Creates a condenser from a configuration: an object, JSON text, or TOML text. `type` names a built-in condenser, with its
 * options beside it; `use` names a package, with `options` for it; `pipeline` has `stages`. If no condenser is named,
 * `enableDefaultCondenser` decides (`enable_default_condenser` in OpenHands V0, also in the section `core`): true or absent selects the
 * host's default, false selects `noOp`. A condenser that needs a
 * model and names none gets the host's `defaultLLM`.
 *
 * Names with underscores (`keep_first`) and the names of OpenHands V0 (`type = "llm"`, `llm_config`) are read as ours. A V0 type
 * has its V0 defaults; {@link loadCondenserConfig} reports this. Nothing else is guessed: an option that is unknown or out of
 * range, or a part that cannot be loaded, is an error that names its place.
 *
 * @throws {@link CondenserNotFoundError} for an unknown type; {@link InvalidCondenserConfigError} for everything else.
 *
 * @example
 * ```ts
 * const condenser = await loadCondenser(await readFile('palimpsest.toml', 'utf8'), { llm: (name) => models[name] });
 * ```
 */
export async function loadCondenser(
  config: CondenserConfigDocument | string | undefined,
  options: LoadCondenserOptions = {},
): Promise<Condenser> {
  return (await loadCondenserConfig(config, options)).condenser;
}

/**
 * Loads a condenser like {@link loadCondenser}, with a note for every name that was read as another one. @throws the errors of {@link
 * loadCondenser}.
 */
export async function loadCondenserConfig(
  config: CondenserConfigDocument | string | undefined,
  options: LoadCondenserOptions = {},
): Promise<LoadedCondenser> {
  const notes: ConfigNote[] = [];
  return { ...(await loaded(config, options, (note) => notes.push(note))), notes };
}

async function loaded(
  config: CondenserConfigDocument | string | undefined,
  options: LoadCondenserOptions,
  note: Place['note'],
): Promise<Omit<LoadedCondenser, 'notes'>> {
  const { condenser, enableDefaultCondenser } = readConfig(config, options.otherSections ?? ['llm']);
  if (condenser !== undefined) {
    const { value, path } = condenser;
    const made = await condenserOf(value, path, { host: options, depth: 0, note });
    return { condenser: made, ...(isTable(value) ? { description: value } : {}) };
  }
  if (enableDefaultCondenser === false) return { condenser: noOpCondenser() };
  const { defaultCondenser } = options;
  if (defaultCondenser === undefined) {
    const reason = `is missing, and the program has no default condenser: add one with a 'type', or set 'enableDefaultCondenser' to false to condense nothing`;
    throw new InvalidCondenserConfigError({ condenser: 'configuration', option: 'condenser', reason });
  }
  return { condenser: typeof defaultCondenser === 'function' ? await defaultCondenser() : defaultCondenser };
}

interface Place {
  readonly host: LoadCondenserOptions;
  readonly depth: number;
  /** Receives each name that was read as another one. */
  readonly note: (note: ConfigNote) => void;
}

async function condenserOf(value: unknown, path: string, place: Place): Promise<Condenser> {
  const wrong = (option: string, reason: string) =>
    new InvalidCondenserConfigError({ condenser: 'configuration', option, reason });
  if (!isTable(value)) throw wrong(path, `must describe a condenser: { type: … } or { use: … }, not ${shown(value)}`);
  const { type, use, ...rest } = value;
  if (type !== undefined && use !== undefined) {
    throw wrong(joined(path, 'use'), `does not go with 'type': one of the two names the condenser`);
  }
  if (use !== undefined) return fromPackage(use, rest, path, place);
  if (typeof type !== 'string') {
    if (type === undefined)
      throw wrong(joined(path, 'type'), `is missing. There are: ${types.join(', ')}; or 'use' a package`);
    throw wrong(joined(path, 'type'), `must be the name of a condenser, not ${shown(type)}`);
  }
  if (type === 'pipeline') return pipelineOf(rest, path, place);
  if (type === 'priced' && rest['stages'] !== undefined) return pricedOf(rest, path, place);
  const own = ownType(type, types);
  const definition = ownCondensers.get(own.type);
  if (definition === undefined) throw new CondenserNotFoundError(type, types, joined(path, 'type'));
  const known = configurableOptions(definition);
  const given = withOwnNames(rest, { subject: own.type, path, known }, place.note);
  if (own.type !== type) {
    const added = Object.entries(own.defaults).filter(([name]) => given[name] === undefined);
    const defaults = added.map(([name, one]) => `${name} = ${JSON.stringify(one)}`).join(', ');
    const also = defaults === '' ? '' : `, with the defaults that it has there: ${defaults}`;
    place.note({ path: joined(path, 'type'), message: `The type '${type}' is read as '${own.type}'${also}.` });
  }
  return ownCondenser(definition, { ...own.defaults, ...given }, path, place);
}

/** Returns the options in the form of a configuration: `llm` names a model, and `promptFile` is an alternative to `prompt`. */
function configurableOptions({ options, asksModel }: CondenserDefinition): readonly string[] {
  const names = optionNames(options).flatMap((name) => (name.endsWith('prompt') ? [name, `${name}File`] : [name]));
  return asksModel ? ['llm', ...names] : names;
}

async function ownCondenser(
  definition: CondenserDefinition,
  { llm, ...value }: Readonly<Record<string, unknown>>,
  path: string,
  { host }: Place,
): Promise<Condenser> {
  const { name } = definition;
  const known = configurableOptions(definition);
  const options = await withPrompt(value, name, path, host);
  if (llm !== undefined && !definition.asksModel) checkedOptions(definition.options, { llm }, { subject: name, path });
  if (llm !== undefined && (typeof llm !== 'string' || llm === '')) {
    throw wrongOption(name, path, 'llm', `must be the name of a model, not ${shown(llm)}`);
  }
  const model = llm === undefined ? undefined : await modelOf(llm, name, path, host);
  return fromDefinition(definition, options, {
    subject: name,
    path,
    known,
    host: { llm: model, createEvent: host.createEvent },
    defaultModel: () => defaultModel(name, path, host),
  });
}

/** Returns the options with the text of `modelCall.promptFile` as `modelCall.prompt`. */
async function withPrompt(
  options: Readonly<Record<string, unknown>>,
  subject: string,
  path: string,
  host: LoadCondenserOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const { modelCall } = options;
  if (!isTable(modelCall) || modelCall['promptFile'] === undefined) return options;
  const { promptFile, ...others } = modelCall;
  const place = joined(path, 'modelCall');
  if (typeof promptFile !== 'string' || promptFile === '') {
    throw wrongOption(
      subject,
      place,
      'promptFile',
      `must be the name of a file with a template, not ${shown(promptFile)}`,
    );
  }
  if (others['prompt'] !== undefined) throw wrongOption(subject, place, 'promptFile', `does not go with 'prompt'`);
  return { ...options, modelCall: { ...others, prompt: await promptIn(promptFile, subject, place, host) } };
}

async function pipelineOf(value: Readonly<Record<string, unknown>>, path: string, place: Place): Promise<Condenser> {
  const { stages, ...others } = withOwnNames(value, { subject: 'pipeline', path, known: ['stages'] }, place.note);
  const keys = Object.keys(others).filter((key) => others[key] !== undefined);
  if (keys.length > 0) {
    const part = { subject: 'pipeline', path, known: ['stages'], value };
    throw invalidOptions(part, [{ code: 'unrecognized_keys', keys, path: [], message: '' }]);
  }
  return pipelineCondenser(await stagesOf(stages, 'pipeline', path, place));
}

/** Returns the stages of `priced`; its other options are data. */
async function pricedOf(
  { stages, ...value }: Readonly<Record<string, unknown>>,
  path: string,
  place: Place,
): Promise<Condenser> {
  const definition = ownCondensers.get('priced') as CondenserDefinition;
  const given = withOwnNames(value, { subject: 'priced', path, known: configurableOptions(definition) }, place.note);
  const made = await stagesOf(stages, 'priced', path, place);
  checkedOptions(definition.options, { ...given, stages: made }, { subject: 'priced', path });
  return pricedCondenser({ ...given, stages: made });
}

async function stagesOf(
  stages: unknown,
  subject: string,
  path: string,
  { host, depth, note }: Place,
): Promise<readonly Condenser[]> {
  const reason = 'must be a list of condensers, in the order in which they act';
  if (stages === undefined) throw wrongOption(subject, path, 'stages', `is missing: it ${reason}`);
  if (!Array.isArray(stages)) throw wrongOption(subject, path, 'stages', `${reason}, not ${shown(stages)}`);
  if (stages.length === 0) throw wrongOption(subject, path, 'stages', noStages);
  if (depth >= deepest) throw wrongOption(subject, path, 'stages', `is nested in more than ${deepest} pipelines`);
  const made: Condenser[] = [];
  // Stages are loaded in sequence, so that the first of several mistakes is reported.
  for (const [index, stage] of stages.entries()) {
    made.push(await condenserOf(stage, joined(joined(path, 'stages'), index), { host, depth: depth + 1, note }));
  }
  return made;
}

async function fromPackage(
  use: unknown,
  value: Readonly<Record<string, unknown>>,
  path: string,
  { host }: Place,
): Promise<Condenser> {
  const { llm, options = {}, ...others } = value;
  const subject = typeof use === 'string' ? use : 'configuration';
  const keys = Object.keys(others).filter((key) => others[key] !== undefined);
  if (keys.length > 0) {
    const hint = `; options of the package itself belong in 'options'`;
    const known = ['use', 'llm', 'options'].join(', ');
    throw wrongOption(subject, path, keys[0] ?? '', `is not an option beside 'use'. There are: ${known}${hint}`);
  }
  if (!isTable(options))
    throw wrongOption(subject, path, 'options', `must be a table of options, not ${shown(options)}`);
  if (llm !== undefined && typeof llm !== 'string') {
    throw wrongOption(subject, path, 'llm', `must be the name of a model, not ${shown(llm)}`);
  }
  const model = llm === undefined ? {} : { llm: await modelOf(llm, subject, path, host) };
  const importModule = host.importModule ?? ((name: string): Promise<unknown> => import(name));
  const parts = { ...model, createEvent: host.createEvent };
  return packageCondenser(use, options, {
    path,
    importModule,
    host: parts,
    defaultModel: () => defaultModel(subject, path, host),
  });
}
