import type { Condensation, CreateEvent } from '@palimpsest/events';
import { isCondensation, NoCondensationAvailableError, usualPrices } from '@palimpsest/view';
import type { CachePrices, CondenseContext, Condenser, View } from '@palimpsest/view';
import * as z from 'zod/mini';
import { createCondenser, defineCondenser } from '../authoring/define-condenser.js';
import { optionIssue, optionsOf } from '../authoring/options/option-schemas.js';
import type { OptionsCheck } from '../authoring/options/option-schemas.js';
import { isReducer } from '../authoring/reducer.js';
import type { Reduction } from '../authoring/reducer.js';
import { calibrationOf } from '../authoring/rolling/calibration.js';
import { requirementOf } from '../authoring/rolling/requirement.js';
import { areCondensers, assertResult, contextOf, withStage } from '../authoring/stages.js';
import { changeOf } from './change.js';
import { judge } from './decision.js';
import type { Insurance, Situation } from './decision.js';
import { ledgerOf } from './ledger.js';
import { lastAnswerAt, sizesAtCalls } from './model-calls.js';
import { presetNames, presetOf } from './presets.js';
import type { Preset, PresetName } from './presets.js';

/** Options of {@link pricedCondenser}. */
export interface PricedOptions {
  /**
   * The condensers among which to choose, in order. A {@link Reducer} acts when it pays. Any other condenser acts by its own
   * triggers, and its condensation is dropped when it does not pay.
   */
  readonly stages?: readonly Condenser[] | undefined;
  /**
   * Ready stages, by name: `balanced`; `cheapest`; `remembersMost`; `noCache`, for models without a prompt cache. Not with `stages`.
   * @defaultValue `balanced`
   */
  readonly preset?: PresetName | undefined;
  /** Prices that replace those of the host. @defaultValue those of the context */
  readonly prices?: CachePrices | undefined;
  /**
   * How much dearer than doing nothing a conversation may become, beside the credit. Unit: share of the bill of doing nothing.
   * @defaultValue 0.02
   */
  readonly tolerance?: number | undefined;
  /**
   * The credit of a condensation: what it saves at each of the next calls, for so many of them. Unit: share of the calls so far.
   * @defaultValue 0.25
   */
  readonly credit?: number | undefined;
  /** Creates the condensations of a preset. @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent | undefined;
}

const name = 'priced';

/**
 * Runs condensers when their condensation pays. Removing text from a history saves the price of reading it at each later call, and
 * makes the provider's prompt cache write again everything behind the first change. So text pays rent: at each model call since
 * the last condensation, the price of reading what would be removed. A stage acts
 *
 * 1. when the rent has reached the price of writing again what stands behind the first change, and of the stage's own model;
 * 2. when the cache is cold, because the last answer is older than `context.cacheLifeMs`;
 * 3. when the view does not fit into the model's window, or on a request: then without regard to prices.
 *
 * Cases 1 and 2 are insured: with the condensation, the conversation has cost at most `tolerance` more than doing nothing, beside a
 * credit for the next calls. All stages have one ledger. It is a fold over the log: the metadata of a condensation states it, so a
 * restart, a replay and a fork decide alike, and a step at which nothing happens writes nothing.
 *
 * Prices, the life of the cache and the time come from the context. A token costs 1.25 when it is written and 0.05 when it is read
 * where the host states no prices. Bound: the view fits into the window if a stage can make it fit.
 *
 * @throws {@link InvalidCondenserConfigError} when there is no stage or one is not a condenser; `condense` throws
 *   {@link NoCondensationAvailableError} when a condensation was requested and no stage can make one.
 */
export function pricedCondenser(options: PricedOptions = {}): Condenser {
  return createCondenser(priced, options);
}

/** Refuses a preset beside stages of its own. */
const stagesOrPreset: OptionsCheck = ({ value, issues }) => {
  const { stages, preset } = value as PricedOptions;
  if (stages === undefined || preset === undefined) return;
  issues.push(optionIssue('preset', "does not go with 'stages': leave one of the two out", preset));
};

/** The definition of {@link pricedCondenser}. */
export const priced = /* @__PURE__ */ defineCondenser({
  name,
  summary: 'runs condensers when that is cheaper than reading on',
  options: /* @__PURE__ */ optionsOf(
    () => ({
      stages: z.optional(z.readonly(z.array(z.custom<Condenser>(), { error: 'must be a list of condensers' }))),
      preset: z.optional(z.enum(presetNames, { error: `must be one of ${presetNames.join(', ')}` })),
      prices: z.optional(
        z.strictObject(
          { read: share(), write: share(), output: z.optional(share()) },
          { error: 'must be a table of prices' },
        ),
      ),
      tolerance: z._default(share(), 0.02),
      credit: z._default(share(), 0.25),
    }),
    areCondensers,
    stagesOrPreset,
  ),
  create: ({ stages, preset = 'balanced', prices, ...insurance }, { createEvent }) =>
    stages === undefined
      ? whenItPays({ ...presetOf(preset, createEvent), ...(prices === undefined ? {} : { prices }) }, insurance)
      : whenItPays({ stages, prices }, insurance),
});

function share(): z.ZodMiniNumber<number> {
  const error = 'must be a number of at least 0';
  return z.number({ error }).check(z.gte(0, { error }));
}

function whenItPays({ stages, prices }: Preset, insurance: Insurance): Condenser {
  return {
    name,
    handlesCondensationRequests: true,
    rewritesEveryStep: stages.some((stage) => stage.rewritesEveryStep === true),
    protects: stages.every((stage) => stage.protects !== false),
    condense: async (view, context = {}) => {
      if (context.preview === true) return view;
      const { reasons } = requirementOf(view, context, { maxSize: Infinity });
      const urgency = reasons.find((reason) => reason === 'request' || reason === 'tokens');
      const situation = situationOf(view, prices === undefined ? context : { ...context, prices });
      let current: View = view;
      let unable: NoCondensationAvailableError | undefined;
      for (const stage of stages) {
        context.signal?.throwIfAborted();
        try {
          const own = contextOf(stage, context);
          const reduction = isReducer(stage) ? stage.estimate(current, own) : undefined;
          if (isReducer(stage)) {
            const reason = reduction && (urgency ?? judge(reduction, situation, insurance));
            if (reduction === undefined || reason === undefined) continue;
            return withLedger(withStage(await stage.reduce(current, own), stage), current, situation, reason);
          }
          const result = await stage.condense(current, own);
          assertResult(result, name, stage);
          if (!isCondensation(result)) {
            current = result;
            continue;
          }
          const reason = urgency ?? judge(asReduction(current, result), situation, insurance);
          if (reason !== undefined) return withLedger(withStage(result, stage), current, situation, reason);
        } catch (error) {
          if (!NoCondensationAvailableError.isInstance(error)) throw error;
          context.report?.({ outcome: 'unavailable', reason: error.message, data: { stage: stage.name } });
          unable = error;
        }
      }
      if (urgency === 'request') throw unable ?? new NoCondensationAvailableError('no stage has anything to condense');
      return current;
    },
  };
}

function situationOf(view: View, context: CondenseContext): Situation {
  const prices: Required<CachePrices> = { ...usualPrices, ...context.prices };
  // Prices are per token of the provider, and so is what is sent beside the view; their ratio to the view's estimate is one.
  const fixed = (context.fixedTokens ?? 0) / calibrationOf(view, context.fixedTokens);
  const last = view.condensations.at(-1);
  return {
    prices,
    ledger: ledgerOf(view, prices, fixed),
    size: fixed + view.tokens(),
    sizes: sizesAtCalls(view, last && view.positionOf(last.id)).map((tokens) => fixed + tokens),
    isCold: isCold(view, context),
  };
}

/** Whether the provider has dropped the prefix of the last request. False where the life of the cache is not known. */
function isCold(view: View, { cacheLifeMs, now }: CondenseContext): boolean {
  if (cacheLifeMs === undefined) return false;
  const answered = lastAnswerAt(view);
  const next = Date.parse(now ?? view.events.at(-1)?.timestamp ?? '');
  return answered !== undefined && !Number.isNaN(next) && next - answered > cacheLifeMs;
}

/** A condensation that another condenser has made counts as one whose savings do not grow faster than the view. */
function asReduction(view: View, condensation: Condensation): Reduction {
  const { savedTokens, rewrittenTokens } = changeOf(view, condensation);
  return { savedTokens, rewrittenTokens };
}

/** States the ledger as it is before the call that follows, with what the cache still holds of it. */
function withLedger(
  condensation: Condensation,
  view: View,
  { ledger, size, isCold }: Situation,
  reason: string,
): Condensation {
  const { savedTokens, untouchedTokens } = changeOf(view, condensation);
  const tokensBefore = view.tokens();
  const cached = isCold ? 0 : size - tokensBefore + untouchedTokens;
  const stated = {
    ...ledger,
    cached: Math.min(ledger.cached, cached),
    rawCached: isCold ? 0 : ledger.rawCached,
    hidden: Math.max(0, ledger.hidden + savedTokens),
  };
  return Object.freeze({
    ...condensation,
    metadata: Object.freeze({
      ...condensation.metadata,
      reason,
      tokensBefore,
      tokensAfter: tokensBefore - savedTokens,
      ledger: stated,
    }),
  });
}
