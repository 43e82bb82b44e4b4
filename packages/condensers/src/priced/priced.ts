import type { Condensation, CreateEvent, Usage } from '@palimpsest/events';
import {
  cachePricesOf,
  isCacheCold,
  isCondensation,
  isReducer,
  newestStep,
  NoCondensationAvailableError,
} from '@palimpsest/view';
import type { CachePrices, CondenseContext, Condenser, Reduction, View } from '@palimpsest/view';
import * as z from 'zod/mini';
import { createCondenser, defineCondenser } from '../authoring/definition/define-condenser.js';
import { optionIssue, optionsOf } from '../authoring/definition/option-schemas.js';
import type { OptionsCheck } from '../authoring/definition/option-schemas.js';
import { areCondensers, assertResult, contextOf, withStage } from '../authoring/definition/stages.js';
import { calibrationOf } from '../authoring/rolling/calibration.js';
import { isKnownUnavailable, sizeNow } from '../authoring/rolling/rolling-condenser.js';
import { changeOf } from './change.js';
import { isWaitingForRoom, judge, reportNoRoom, roomOf, statementOf, urgencyOf } from './decide.js';
import type { Insurance, Room, Situation } from './decide.js';
import { callsSinceLast, isCacheUnread, ledgerOf } from './ledger.js';
import type { CallSizes, Ledger } from './ledger.js';
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
      const room = roomOf(view, context);
      const situation = situationOf(view, prices === undefined ? context : { ...context, prices });
      const waits = isWaitingForRoom(view, situation.calls.length);
      // Between two model calls, a second condensation saves nothing that the first could not have saved.
      const mayPay = situation.calls.length > 0 || view.condensations.length === 0;
      const reasonFor = (current: View, reduction: Reduction): string | undefined =>
        urgencyOf(room, current.tokens() - reduction.savedTokens, waits) ??
        (mayPay
          ? judge(reduction, situation, insurance)
          : isWrittenAnyway(current, reduction, situation)
            ? 'rewritten'
            : undefined);
      let current: View = view;
      let unable: NoCondensationAvailableError | undefined;
      for (const stage of stages) {
        context.signal?.throwIfAborted();
        try {
          const own = contextOf(stage, context);
          if (isReducer(stage)) {
            current = stage.show?.(current, own) ?? current;
            const reduction = stage.estimate(current, own);
            const reason = reduction && reasonFor(current, reduction);
            const isUrgent = reason === 'request' || reason === 'tokens';
            const isDue = reason !== undefined && (isUrgent || !isKnownUnavailable(view, pathOf(stage)));
            if (!isDue) continue;
            const reduced = await stage.reduce(current, own);
            if (!isUrgent) assertSaves(current, reduced);
            return withLedger(withStage(reduced, stage), current, { ...situation, room }, reason);
          }
          // One that has made no room for the window is not told of it again at each step.
          const result = await stage.condense(current, waits ? { ...own, contextWindow: undefined } : own);
          assertResult(result, name, stage);
          if (!isCondensation(result)) {
            current = result;
            continue;
          }
          const reason = paidReason(result) ?? reasonFor(current, asReduction(current, result));
          if (reason !== undefined)
            return withLedger(withStage(result, stage), current, { ...situation, room }, reason);
        } catch (error) {
          if (!NoCondensationAvailableError.isInstance(error)) throw error;
          unable = error;
          if (isKnownUnavailable(view, pathOf(stage))) continue;
          const data = { stage: stage.name, condenser: pathOf(stage), events: sizeNow(view), tokens: view.tokens() };
          context.report?.({ outcome: 'unavailable', reason: error.message, data });
        }
      }
      if (room.isRequested) throw unable ?? new NoCondensationAvailableError('no stage has anything to condense');
      if (current.tokens() > room.tokens) reportNoRoom(current, room, context);
      return current;
    },
  };
}

/** What the model reads of a view in any case: no stage condenses for a preview. */
async function shownBy(stages: readonly Condenser[], view: View, context: CondenseContext): Promise<View> {
  let current = view;
  for (const stage of stages) {
    const own = contextOf(stage, context);
    const result = isReducer(stage) ? (stage.show?.(current, own) ?? current) : await stage.condense(current, own);
    if (!isCondensation(result)) current = result;
  }
  return current;
}

/**
 * Whether the condensation that another stage has just made has the next call write everything behind the first change in any case.
 * A stage that gains nothing by waiting goes along with it.
 */
function isWrittenAnyway(view: View, reduction: Reduction, { ledger }: Situation): boolean {
  const { savedTokens, rewrittenTokens, savedShare } = reduction;
  const untouched = view.tokens(0, newestStep(view).start) - savedTokens - rewrittenTokens;
  return savedShare === 0 && savedTokens > 0 && untouched >= ledger.cached;
}

/** The name under which the log states that a stage could not act, so that it is not asked again at each step. */
function pathOf(stage: Condenser): string {
  return `${name}/${stage.name}`;
}

/** @throws {@link NoCondensationAvailableError} when a reducer has promised more than it can keep. */
function assertSaves(view: View, condensation: Condensation): void {
  if (changeOf(view, condensation).savedTokens > 0) return;
  throw new NoCondensationAvailableError('the condensation would not make the view smaller');
}

/** The reason of a condensation for which a model was asked: its price is paid, so it is not dropped. Undefined for any other. */
function paidReason({ metadata = {} }: Condensation): string | undefined {
  const { usage, reason } = metadata;
  if (typeof usage !== 'object' || usage === null) return undefined;
  return typeof reason === 'string' ? reason : 'asked';
}

/** What the model of a condensation has cost. Unit: the price of an uncached input token. */
function costOfModel({ metadata = {} }: Condensation, { read, write, output }: Required<CachePrices>): number {
  const { usage } = metadata;
  if (typeof usage !== 'object' || usage === null) return 0;
  const tokens = (kind: keyof Usage): number => {
    const count = (usage as Readonly<Partial<Record<keyof Usage, unknown>>>)[kind];
    return typeof count === 'number' && Number.isFinite(count) ? Math.max(0, count) : 0;
  };
  return (
    tokens('uncachedInputTokens') +
    write * tokens('cacheWriteTokens') +
    read * tokens('cacheReadTokens') +
    output * tokens('outputTokens')
  );
}

function situationOf(view: View, context: CondenseContext): Situation & { readonly calls: CallSizes } {
  const stated = cachePricesOf(context);
  // Without a cache that reads, each call pays for the whole request, as when it is written.
  const prices = isCacheUnread(view, context) ? { ...stated, read: stated.write } : stated;
  // Prices are per token of the provider, and so is what is sent beside the view; their ratio to the view's estimate is one.
  const fixed = (context.fixedTokens ?? 0) / calibrationOf(view, context.fixedTokens);
  const calls = callsSinceLast(view);
  return {
    prices,
    ledger: ledgerOf(view, prices, fixed, calls),
    fixed,
    tokens: view.tokens(),
    calls,
    isCold: isCacheCold(view, context),
  };
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
  { prices, ledger, isCold, room }: Situation & { readonly room: Room },
  reason: string,
): Condensation {
  const { savedTokens, untouchedTokens } = changeOf(view, condensation);
  const tokensBefore = view.tokens();
  const stated: Ledger = {
    ...ledger,
    bill: ledger.bill + costOfModel(condensation, prices),
    cached: isCold ? 0 : Math.min(ledger.cached, untouchedTokens),
    rawCached: isCold ? 0 : ledger.rawCached,
    hidden: Math.max(0, ledger.hidden + savedTokens),
    isCold: isCold || ledger.isCold,
  };
  return Object.freeze({
    ...condensation,
    metadata: Object.freeze({
      ...condensation.metadata,
      reason,
      tokensBefore,
      tokensAfter: tokensBefore - savedTokens,
      ...statementOf(room, tokensBefore - savedTokens),
      ledger: stated,
    }),
  });
}
