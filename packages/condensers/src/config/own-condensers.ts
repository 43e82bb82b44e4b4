import type { LLM } from '@palimpsest/llm-adapters';
import type { Condenser } from '@palimpsest/view';
import type { CondenserDefinition } from '../authoring/definition/define-condenser.js';
import { CondenserNotFoundError, InvalidCondenserConfigError } from '../authoring/definition/errors.js';
import { joined } from '../authoring/definition/options.js';
import {
  amortizedForgetting,
  browserOutput,
  conversationWindow,
  digest,
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
import { isTable } from './config-source.js';
import { wrongOption } from './host-parts.js';

/** The built-in condensers, those without a model first: the list for configurations, commands and the README's table. */
const definitions = [
  noOp,
  recentEvents,
  observationMasking,
  browserOutput,
  amortizedForgetting,
  conversationWindow,
  digest,
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
 * Returns a condenser with its defaults, by name.
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

/** A name in a configuration that was read as another one. */
export interface ConfigNote {
  /** The place of the name: `condenser.stages[0].keep_first`. */
  readonly path: string;
  readonly message: string;
}

/** The options of one condenser, or its description. */
type Table = Readonly<Record<string, unknown>>;

/** A type of OpenHands V0, and the V0 defaults of its options. */
interface OtherType {
  readonly type: string;
  readonly defaults: Table;
}

const sizes = { maxSize: 100, keepFirst: 1 };

/** @see OpenHands at d6fab190, core/config/condenser_config.py */
const v0Types: Readonly<Record<string, OtherType>> = {
  noop: { type: 'noOp', defaults: {} },
  observation_masking: { type: 'observationMasking', defaults: { attentionWindow: 100, placeholder: '<MASKED>' } },
  browser_output_masking: { type: 'browserOutput', defaults: { attentionWindow: 1 } },
  recent: { type: 'recentEvents', defaults: { keepFirst: 1, maxSize: 100 } },
  llm: { type: 'llmSummarizing', defaults: sizes },
  amortized: { type: 'amortizedForgetting', defaults: sizes },
  llm_attention: { type: 'llmAttention', defaults: sizes },
  structured: { type: 'structuredSummary', defaults: sizes },
  conversation_window: { type: 'conversationWindow', defaults: {} },
};

/** Options with a different name in OpenHands; the other options have our names with underscores. */
const otherOptions: Readonly<Record<string, string>> = {
  llm_config: 'llm',
  max_event_length: 'maxEventCharacters',
  max_events: 'maxSize',
  condensers: 'stages',
  minimum_progress: 'minProgress',
  hard_context_reset_max_retries: 'tries',
};

/** Returns our name of a V0 type, with the V0 values of options that are not given. */
export function ownType(type: string, types: readonly string[]): OtherType {
  if (types.includes(type)) return { type, defaults: {} };
  const known = Object.hasOwn(v0Types, type) ? v0Types[type] : undefined;
  const camel = camelCase(type);
  return known ?? { type: types.includes(camel) ? camel : type, defaults: {} };
}

/**
 * Returns the options under our names, each in its group. A configuration may also write an option outside its group.
 *
 * @param known The known options; an option of a group has the form `modelCall.timeoutMs`.
 * @throws {@link InvalidCondenserConfigError} when an option is given under two names.
 */
export function withOwnNames(
  value: Table,
  { subject, path, known }: { readonly subject: string; readonly path: string; readonly known: readonly string[] },
  note: (note: ConfigNote) => void,
): Table {
  const groups = new Set(known.filter((option) => option.includes('.')).map((option) => option.split('.')[0] ?? ''));
  const read: Record<string, unknown> = {};
  const given = new Set<string>();
  const take = (key: string, own: string, option: unknown): void => {
    if (given.has(own)) throw wrongOption(subject, path, key, `says the same as '${own}': give one of them`);
    given.add(own);
    const place = joined(path, key);
    if (own !== key) note({ path: place, message: `'${place}' is read as '${own}'.` });
    const [group, inner] = own.split('.');
    if (inner === undefined || group === undefined) read[own] = option;
    else read[group] = { ...(read[group] as Table | undefined), [inner]: option };
  };
  const entries = Object.entries(value).filter(([, option]) => option !== undefined);
  // Our own names come first, so that the error about a duplicate names the other one.
  for (const isOwn of [true, false]) {
    for (const [key, option] of entries) {
      const group = [key, camelCase(key)].find((name) => groups.has(name));
      if (group === undefined || !isTable(option)) {
        const own = ownName(key, known);
        if ((own === key) === isOwn) take(key, own, option);
        continue;
      }
      for (const [innerKey, inner] of Object.entries(option)) {
        const own = ownName(`${group}.${innerKey}`, known);
        if ((own === `${key}.${innerKey}`) === isOwn) take(`${key}.${innerKey}`, own, inner);
      }
    }
  }
  return read;
}

/** Returns the known option with this name or with this name in another project, in whichever group; otherwise the name itself. */
function ownName(key: string, known: readonly string[]): string {
  if (known.includes(key)) return key;
  const [name = '', group = ''] = key.split('.').reverse();
  const renamed = Object.hasOwn(otherOptions, name) ? otherOptions[name] : undefined;
  const own = renamed ?? camelCase(name);
  const found = known.find((option) => option === own || option.endsWith(`.${own}`));
  return found !== undefined && found.startsWith(group) ? found : key;
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
