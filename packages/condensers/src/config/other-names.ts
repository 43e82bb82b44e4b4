import { wrongOption } from './host-parts.js';
import { joined } from '../authoring/options/option-issues.js';

/** Something in a configuration that was read as something else. */
export interface ConfigNote {
  /** Where it stands: `condenser.stages[0].keep_first`. */
  readonly path: string;
  readonly message: string;
}

/** Options of one condenser, or the description of one. */
type Table = Readonly<Record<string, unknown>>;

/** A type of OpenHands V0, and what its options are there where they are not given. */
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
  recent: { type: 'recentEvents', defaults: { keepFirst: 1, maxEvents: 100 } },
  llm: { type: 'llmSummarizing', defaults: { ...sizes, maxEventCharacters: 10_000 } },
  amortized: { type: 'amortizedForgetting', defaults: sizes },
  llm_attention: { type: 'llmAttention', defaults: sizes },
  structured: { type: 'structuredSummary', defaults: { ...sizes, maxEventCharacters: 10_000 } },
  conversation_window: { type: 'conversationWindow', defaults: {} },
};

/** Options that are called something else in V0; the others are ours with underscores. */
const v0Options: Readonly<Record<string, string>> = {
  llm_config: 'llm',
  max_event_length: 'maxEventCharacters',
  condensers: 'stages',
};

/** The name that a type has here, and with which options, where they are not given, it behaves as there. */
export function ownType(type: string, types: readonly string[]): OtherType {
  if (types.includes(type)) return { type, defaults: {} };
  const known = Object.hasOwn(v0Types, type) ? v0Types[type] : undefined;
  const camel = camelCase(type);
  return known ?? { type: types.includes(camel) ? camel : type, defaults: {} };
}

/**
 * The options under the names that they have here.
 *
 * @throws {@link InvalidCondenserConfigError} when an option is given under both names.
 */
export function withOwnNames(
  value: Table,
  { subject, path, known }: { readonly subject: string; readonly path: string; readonly known: readonly string[] },
  note: (note: ConfigNote) => void,
): Table {
  const read: Record<string, unknown> = {};
  for (const [key, option] of Object.entries(value)) {
    if (option === undefined) continue;
    const own = known.includes(key) ? key : ownName(key, known);
    if (own !== key) {
      const place = joined(path, key);
      if (value[own] !== undefined)
        throw wrongOption(subject, path, key, `says the same as '${own}': give one of them`);
      note({ path: place, message: `'${place}' is read as '${own}'.` });
    }
    read[own] = option;
  }
  return read;
}

function ownName(key: string, known: readonly string[]): string {
  const renamed = Object.hasOwn(v0Options, key) ? v0Options[key] : undefined;
  const own = renamed ?? camelCase(key);
  return known.includes(own) ? own : key;
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
