import { pricedCondenser } from '@palimpsest/condensers';
import type { PricedOptions } from '@palimpsest/condensers';
import type { LLM } from '@palimpsest/llm-adapters';
import { relevanceCondenser } from '@palimpsest/relevance-tool';
import type { Condenser } from '@palimpsest/view';
import type { Settings } from '../settings/settings.js';
import { assertPriced } from './models.js';

/**
 * Returns the policy of the reference agent: the best that we have measured, without a call of a model. It acts when that is cheaper than reading
 * on, with one ledger for both stages:
 *
 * 1. A result that the model marked as no longer needed is replaced by the model's note.
 * 2. A digest replaces the older part of the history: the user’s words, files, failures, commands, and the lines of results and edits
 *    that may be needed again. `recall` returns what it replaces.
 *
 * A summary by a model is a matter of configuration: `palimpsest demo --config`.
 *
 * @param list - the second stage. The default is the preset `balanced` of `priced`
 * @see docs/decisions/0054-masks-presets-and-the-default.md for what was measured
 */
export function defaultCondenser(list: Pick<PricedOptions, 'preset' | 'stages'> = { preset: 'balanced' }): Condenser {
  const marks = relevanceCondenser({ apply: 'batched' });
  return pricedCondenser({ ...list, stages: [marks, ...(list.stages ?? [])] });
}

/** Options of {@link settingsCondenser}. */
export interface SettingsCondenserOptions {
  /** The model of a condenser that needs one and names none. */
  readonly llm: LLM;
  /** The models that a condenser can name: `llm = "provider/name"`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called with each model that the condenser asks: what it returns is asked in its place. @defaultValue the model itself */
  readonly watched?: ((llm: LLM) => LLM) | undefined;
}

/** A condenser, and what the user should know of how it was read. */
export interface SettingsCondenser {
  readonly condenser: Condenser;
  readonly notes: readonly string[];
}

/**
 * Returns the condenser of the settings: the default, the default with another preset, none where the default is switched off, or one of
 * `@palimpsest/condensers/config`. Packages and prompts that it names are found from the folder of the file that names it.
 *
 * @throws the errors of `loadCondenser`; {@link UnknownPriceError} when the cost is limited, and the price of a model that it names
 * is not known.
 */
export async function settingsCondenser(
  { condenser, condenserFolder, enableDefaultCondenser, maxCost }: Partial<Settings>,
  { llm, env, watched = (model) => model }: SettingsCondenserOptions,
): Promise<SettingsCondenser> {
  const { preset, ...others } = condenser ?? {};
  const isNamed = Object.keys(others).length > 0;
  if (!isNamed && (preset !== undefined || enableDefaultCondenser !== false)) {
    // A name that is none is refused by the condenser itself, which lists those that there are.
    const list = preset === undefined ? undefined : { preset: preset as PricedOptions['preset'] };
    return { condenser: defaultCondenser(list), notes: [] };
  }
  const [{ loadCondenserConfig }, { importFrom, promptsFrom }, { llmByName }] = await Promise.all([
    import('@palimpsest/condensers/config'),
    import('@palimpsest/condensers/node'),
    import('@palimpsest/llm-adapters/by-name'),
  ]);
  const folder = condenserFolder ?? '.';
  const loaded = await loadCondenserConfig(isNamed ? { condenser: condenser as never } : { enableDefaultCondenser }, {
    defaultLLM: watched(llm),
    llm: async (name) => {
      const named = await llmByName(name, { env });
      assertPriced(named, maxCost);
      return watched(named);
    },
    importModule: importFrom(folder),
    readPrompt: promptsFrom(folder),
  });
  return { condenser: loaded.condenser, notes: loaded.notes.map(({ message }) => message) };
}
