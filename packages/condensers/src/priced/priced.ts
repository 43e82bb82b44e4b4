import type { Condensation, CreateEvent } from '@palimpsest/events';
import { isCondensation, isReducer, NoCondensationAvailableError } from '@palimpsest/view';
import type { CachePrices, CondenseContext, Condenser, Reduction, View } from '@palimpsest/view';
import * as z from 'zod/mini';
import { createCondenser, defineCondenser } from '../authoring/definition/define-condenser.js';
import { optionIssue, optionsOf } from '../authoring/definition/option-schemas.js';
import type { OptionsCheck } from '../authoring/definition/option-schemas.js';
import { areCondensers, assertResult, contextOf, withStage } from '../authoring/definition/stages.js';
import { eventCount, isKnownUnavailable } from '../authoring/rolling/rolling-condenser.js';
import { changeOf } from './change.js';
import { decide, pathOf, reportNoRoom, situationOf } from './decide.js';
import type { Insurance } from './decide.js';
import { withLedger } from './ledger.js';
import { presetNames, presetOf } from './presets.js';
import type { Preset, PresetName } from './presets.js';

/** Options of {@link pricedCondenser}. */
export interface PricedOptions {
  /**
   * The condensers among which to choose, in order. A {@link Reducer} acts when it pays. Any other condenser acts by its own
   * triggers, and its condensation is dropped when it does not pay, unless a model was asked for it. None may be a priced condenser.
   */
  readonly stages?: readonly Condenser[] | undefined;
  /**
   * Ready stages, by name, behind those of `stages`: `balanced`; `cheapest`; `remembersMost`; `noCache`, for models without a
   * prompt cache. @defaultValue `balanced` where no stages are given, else none
   */
  readonly preset?: PresetName | undefined;
  /** Prices that replace those of the host. @defaultValue those of the context */
  readonly prices?: CachePrices | undefined;
  /**
   * The share by which a conversation may become dearer than doing nothing, beside the credit. Unit: share of the bill
   * of doing nothing.
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
 * 2. when the cache is cold, because the last answer is older than `context.cacheLifeMs`, or nothing is cheaper to read;
 * 3. when the view does not fit into the model's window, or on a request: then without regard to prices.
 *
 * Cases 1 and 2 are insured: with the condensation, the conversation has cost at most `tolerance` more than doing nothing, beside a
 * credit for the next calls. All stages have one ledger. It is a fold over the log: the metadata of a condensation states it, so a
 * restart, a replay and a fork decide alike, and a step at which nothing happens writes nothing.
 *
 * Prices, the life of the cache and the time come from the context. A token costs 1.25 when it is written and 0.05 when it is read
 * where the host states no prices. Bound: the view fits into the window if a stage can make it fit.
 *
 * @throws {@link InvalidCondenserConfigError} when there is no stage, one is not a condenser, or one is priced itself; `condense` throws
 *   {@link NoCondensationAvailableError} when a condensation was requested and no stage can make one.
 */
export function pricedCondenser(options: PricedOptions = {}): Condenser {
  return createCondenser(priced, options);
}

/** Refuses another priced condenser among the stages, also inside a pipeline: each would judge what the other has judged. */
const noneIsPriced: OptionsCheck = ({ value, issues }) => {
  const { stages = [] } = value as PricedOptions;
  for (const [index, stage] of stages.entries())
    if (isPriced(stage))
      issues.push(optionIssue(['stages', index], 'is a priced condenser, or holds one: list its stages here instead'));
};

function isPriced(stage: Partial<Condenser> | undefined): boolean {
  return stage?.name === name || (Array.isArray(stage?.stages) && stage.stages.some(isPriced));
}

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
    noneIsPriced,
  ),
  create: ({ stages, preset, prices, ...insurance }, { createEvent }) => {
    const name = preset ?? (stages === undefined ? 'balanced' : undefined);
    const ready: Preset = name === undefined ? { stages: [] } : presetOf(name, createEvent);
    const all = [...(stages ?? []), ...ready.stages];
    return whenItPays({ stages: all, prices: prices ?? ready.prices }, insurance);
  },
});

function share(): z.ZodMiniNumber<number> {
  const error = 'must be a number of at least 0';
  return z.number({ error }).check(z.gte(0, { error }));
}

function whenItPays({ stages, prices }: Preset, insurance: Insurance): Condenser {
  return {
    name,
    stages,
    handlesCondensationRequests: true,
    rewritesEveryStep: stages.some((stage) => stage.rewritesEveryStep === true),
    protects: stages.every((stage) => stage.protects !== false),
    condense: async (view, context = {}) => {
      if (context.preview === true) return shownBy(stages, view, context);
      const situation = situationOf(view, prices === undefined ? context : { ...context, prices }, insurance);
      const { room } = situation;
      let current: View = view;
      let unable: NoCondensationAvailableError | undefined;
      for (const stage of stages) {
        context.signal?.throwIfAborted();
        try {
          const own = contextOf(stage, context);
          if (isReducer(stage)) {
            current = stage.show?.(current, own) ?? current;
            const { act, reason } = decide(stage, stage.estimate(current, own), current, situation);
            if (!act) continue;
            const reduced = await stage.reduce(current, own);
            if (reason !== 'request' && reason !== 'tokens') assertSaves(current, reduced);
            return withLedger(withStage(reduced, stage), current, situation, reason);
          }
          // One that has made no room for the window is not told of it again at each step.
          const result = await stage.condense(current, room.isWaiting ? { ...own, contextWindow: undefined } : own);
          assertResult(result, name, stage);
          if (!isCondensation(result)) {
            current = result;
            continue;
          }
          const { act, reason } =
            paidDecision(result) ?? decide(stage, asReduction(current, result), current, situation);
          if (act) return withLedger(withStage(result, stage), current, situation, reason);
        } catch (error) {
          if (!NoCondensationAvailableError.isInstance(error)) throw error;
          unable = error;
          if (isKnownUnavailable(view, pathOf(stage))) continue;
          const data = { stage: stage.name, condenser: pathOf(stage), events: eventCount(view), tokens: view.tokens() };
          context.report?.({ outcome: 'unavailable', reason: error.message, data });
        }
      }
      if (room.isRequested) throw unable ?? new NoCondensationAvailableError('no stage has anything to condense');
      if (current.tokens() > room.tokens) reportNoRoom(current, room, context);
      return current;
    },
  };
}

/** Returns what the model reads of a view in any case: no stage condenses for a preview. */
async function shownBy(stages: readonly Condenser[], view: View, context: CondenseContext): Promise<View> {
  let current = view;
  for (const stage of stages) {
    const own = contextOf(stage, context);
    const result = isReducer(stage) ? (stage.show?.(current, own) ?? current) : await stage.condense(current, own);
    if (!isCondensation(result)) current = result;
  }
  return current;
}

/** Checks a reducer's promise. @throws {@link NoCondensationAvailableError} when it has promised more than it can keep. */
function assertSaves(view: View, condensation: Condensation): void {
  if (changeOf(view, condensation).savedTokens > 0) return;
  throw new NoCondensationAvailableError('the condensation would not make the view smaller');
}

/**
 * Returns the decision on a condensation for which a model was called: its price is paid, so it is not dropped. Undefined for any
 * other.
 */
function paidDecision({ metadata = {} }: Condensation): { readonly act: true; readonly reason: string } | undefined {
  const { usage, reason } = metadata;
  if (typeof usage !== 'object' || usage === null) return undefined;
  return { act: true, reason: typeof reason === 'string' ? reason : 'asked' };
}

/** Returns the condensation of any other condenser as a reduction whose savings do not grow faster than the view. */
function asReduction(view: View, condensation: Condensation): Reduction {
  const { savedTokens, rewrittenTokens } = changeOf(view, condensation);
  return { savedTokens, rewrittenTokens };
}
