import type { CreateEvent } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import { newestStep, NoCondensationAvailableError, unitsOf } from '@palimpsest/view';
import type { Condenser, Unit, View } from '@palimpsest/view';
import * as z from 'zod/mini';
import { createCondenser, defineCondenser } from '../authoring/definition/define-condenser.js';
import { CondenserModelError } from '../authoring/definition/errors.js';
import type { ModelAccount } from '../authoring/definition/errors.js';
import {
  flag,
  optionGroup,
  optionsOf,
  roomBehindFirst,
  sizeOptions,
  defaultKeepFirst,
} from '../authoring/definition/option-schemas.js';
import type { SizeOptions } from '../authoring/definition/option-schemas.js';
import { backgroundCondenser } from '../authoring/model/background.js';
import { modelCallOptions } from '../authoring/model/call-model.js';
import type { ModelCallOptions } from '../authoring/model/call-model.js';
import { promptOf } from '../authoring/model/prompt.js';
import { requirementOf } from '../authoring/rolling/requirement.js';
import type { Requirement } from '../authoring/rolling/requirement.js';
import { rollingCondenser } from '../authoring/rolling/rolling-condenser.js';
import { assertProgress, defaultMinProgress, forgetUnits } from '../authoring/rolling/selection.js';
import type { Forgotten } from '../authoring/rolling/selection.js';
import { askForRanking } from './attention-answer.js';
import type { AttentionQuestion } from './attention-answer.js';
import { choiceOf, selectByRank } from './attention-choice.js';
import type { Room, WeighedUnit } from './attention-choice.js';
import { attentionTemplate } from './attention.prompt.js';

/** Options of {@link llmAttentionCondenser}. */
export interface LLMAttentionOptions extends SizeOptions {
  /** The model that ranks the events; one that is smaller than the agent's is often enough. */
  readonly llm: LLM;
  /** The settings of the model call. @defaultValue with {@link attentionTemplate}, and with events of at most 2000 characters */
  readonly modelCall?: ModelCallOptions | undefined;
  /**
   * Ranks in the background and applies the ranking at a later step. Only a view over its budget, or a request, waits. The
   * ranking starts at four fifths of `maxTokens`. Meanwhile the view may exceed `maxSize` events. After a restart the ranking
   * starts again.
   * @defaultValue false
   */
  readonly background?: boolean | undefined;
  /** Creates the condensation. @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent | undefined;
}

const name = 'llmAttention';

/**
 * Keeps the events that a model ranks as most important and forgets the rest of a history that has grown too long, without a
 * summary. The first `keepFirst` events and the newest step stay. The newest events fill the room that the ranking leaves. Events
 * stay or are forgotten in whole units, so that no batch is split. More than `maxSize` events is a soft trigger; too many tokens,
 * or a request, is a hard one.
 *
 * The model is called once, not streamed, with structured output, or with an instruction if the provider refuses that. Numbers
 * without an event, repeated numbers and numbers of events that stay in any case take no room. An answer that cannot be read
 * counts as an empty ranking: the newest events stay, and the condenser reports it (`outcome: 'fallback'`). If the model throws,
 * returns no text or is too slow, the history is unchanged. The model is not called if there is room for none of the candidates.
 *
 * Bound: `maxSize` events, as far as there are cut points and the model answers; after a condensation `floor(maxSize / 2)`, plus
 * protected events and the rest of a unit or a newest step that cannot be cut.
 *
 * @throws {@link InvalidCondenserConfigError} when the numbers leave no room for one event behind the first ones, or the prompt
 *   cannot be used; `condense` throws {@link NoCondensationAvailableError} when a condensation was requested and none is
 *   possible.
 * @see LLMAttentionCondenser of OpenHands at d6fab190
 */
export function llmAttentionCondenser(options: LLMAttentionOptions): Condenser {
  return createCondenser(llmAttention, options);
}

/** The definition of {@link llmAttentionCondenser}. */
export const llmAttention = /* @__PURE__ */ defineCondenser({
  name,
  summary: 'keeps the events that a model ranks as the most important ones',
  asksModel: true,
  options: /* @__PURE__ */ optionsOf(
    () => ({
      ...sizeOptions(4),
      modelCall: optionGroup(modelCallOptions(2_000)),
      background: z._default(flag(), false),
    }),
    /* @__PURE__ */ roomBehindFirst('an event'),
  ),
  create: (options, { llm, createEvent }) => {
    const { maxSize, keepFirst = defaultKeepFirst(maxSize, 'an event'), maxTokens, modelCall } = options;
    const write = promptOf(name, modelCall.prompt ?? attentionTemplate, 'modelCall.prompt');
    const question: AttentionQuestion = { ...modelCall, llm, write };
    const parts = { sizes: { maxSize, keepFirst }, maxTokens, question, createEvent };
    if (!options.background) return attention({ ...parts, isEarly: false, asks: () => {} });
    return backgroundCondenser({
      name,
      maxTokens,
      create: (asks) => attention({ ...parts, isEarly: true, asks }),
    });
  },
});

/** The parts of an attention condenser. */
interface Parts {
  readonly sizes: { readonly maxSize: number; readonly keepFirst: number };
  readonly maxTokens: number | undefined;
  /** Starts early, because no call waits for the result. */
  readonly isEarly: boolean;
  readonly question: AttentionQuestion;
  readonly createEvent: CreateEvent | undefined;
  /** Called before each model call. */
  readonly asks: () => void;
}

function attention({ sizes, maxTokens, isEarly, question, createEvent, asks }: Parts): Condenser {
  const forget = (
    view: View,
    units: readonly Unit[],
    requirement: Requirement,
    made: { readonly account?: ModelAccount; readonly metadata?: Readonly<Record<string, unknown>> } = {},
  ) => {
    const { reasons, tokenBudget } = requirement;
    const account = { condenser: name, reason: reasons.join(', '), tokenBudget, ...made.account };
    return forgetUnits({ view, units, account, createEvent, ...(made.metadata && { metadata: made.metadata }) });
  };

  return rollingCondenser({
    name,
    requirement: (view, context) => requirementOf(view, context, { maxSize: sizes.maxSize, maxTokens, isEarly }),
    getCondensation: async (view, requirement, context) => {
      const { candidates, room, forgettable, isAllKept, wanted } = choiceOf(view, requirement, sizes);
      if (isAllKept || forgettable < view.events.length * defaultMinProgress)
        throw new NoCondensationAvailableError(
          `of ${view.events.length} events too few, ${forgettable}, lie between the first ones and the newest step`,
        );
      if (room.events <= 0 || room.tokens <= 0) return forget(view, candidates, requirement);
      assertProgress(view, leastToGo(candidates, room));
      const { signal, focus } = context;
      asks();
      const { ranked, account, unreadable } = await askForRanking(view, question, { wanted, signal, focus });
      if (unreadable !== undefined) {
        const data = { condenser: name, model: account.model };
        context.report?.({ outcome: 'fallback', reason: `${unreadable}; the newest events stay instead`, data });
      }
      const chosen = selectByRank(candidates, { ranked, room });
      const units = candidates.filter((unit) => !chosen.has(unit));
      const metadata = { ranked: new Set(ranked).size, ...(unreadable === undefined ? {} : { fallback: 'recency' }) };
      return forget(view, units, requirement, { account, metadata });
    },
    hardReset: (view, requirement, _context, failure) => {
      if (CondenserModelError.isInstance(failure)) return undefined;
      const end = newestStep(view).cutPoint;
      return forget(
        view,
        unitsOf(view).filter((unit) => unit.end <= end),
        requirement,
      );
    },
  });
}

/** Returns the units for which there is no room, whatever the model ranks first. */
function leastToGo(candidates: readonly WeighedUnit[], room: Room): Forgotten {
  const gone = { events: -room.events, tokens: -room.tokens };
  for (const { events, tokens } of candidates) {
    gone.events += events;
    gone.tokens += tokens;
  }
  return gone;
}
