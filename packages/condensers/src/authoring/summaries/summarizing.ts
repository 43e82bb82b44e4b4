import type { Condensation, CreateEvent } from '@palimpsest/events';
import { NoCondensationAvailableError } from '@palimpsest/view';
import type { CondenseContext, Condenser, View } from '@palimpsest/view';
import { backgroundCondenser, telling } from '../model/background.js';
import { defaultTimeoutMs } from '../model/deadline.js';
import { InvalidCondenserConfigError } from '../errors.js';
import { CondenserModelError } from '../model/model-failure.js';
import { nextScale, tryAgain } from '../model/model-tries.js';
import type { Tries } from '../model/model-tries.js';
import { assertWholeNumber, checkedKeepFirst } from '../options/option-checks.js';
import { rangeContent } from '../rolling/range-content.js';
import { requirementOf } from '../rolling/requirement.js';
import type { Requirement } from '../rolling/requirement.js';
import { rollingCondenser } from '../rolling/rolling.js';
import type { Selection } from '../rolling/select-middle.js';
import { summariseRange } from './summarise-range.js';
import type { Summarizer } from './summarizer.js';
import { everythingOf, isWorthACall, middleOf } from './summary-ranges.js';

/** When a summarising condenser acts, and what it leaves. */
export interface SummarizingLimits {
  /** More events than this are condensed to half of it. Unit: events, at least 4. @defaultValue 120 */
  readonly maxSize?: number;
  /** How many of the first events stay. Unit: events. @defaultValue 4, or what `maxSize` leaves room for */
  readonly keepFirst?: number;
  /** More tokens than this are condensed to half of it. Unit: tokens. @defaultValue what the model's window leaves, if known */
  readonly maxTokens?: number;
  /** How long a summary is asked to be at most. Unit: tokens. @defaultValue 4000 */
  readonly maxSummaryTokens?: number;
  /**
   * A condensation that takes less is not made, unless somebody asks and the view would then be within `maxTokens`. Unit: share of the
   * view's events or tokens, above 0 and below 1. @defaultValue 0.1
   */
  readonly minimumProgress?: number;
  /** How often the last resort is tried, and a prompt that is too long, with less to read each time. @defaultValue 3 */
  readonly hardResetTries?: number;
  /**
   * Has summaries written while the agent goes on, and puts them in at a later step; only a view over its budget, or a request,
   * waits. It begins at four fifths of `maxTokens`. While a summary is written, the view may have more than `maxSize` events. After
   * a restart it begins again. @defaultValue false
   */
  readonly background?: boolean;
  /** Makes the condensation. @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent;
}

/** Options of {@link summarizingCondenser}. */
export interface SummarizingOptions extends SummarizingLimits {
  /** Appears in the log and in the metadata. @defaultValue `summarizing` */
  readonly name?: string;
  /** Writes the summaries. */
  readonly summarizer: Summarizer;
  /**
   * How long a summary may take; a deadline that the summariser sets itself counts if it is shorter. Then it is left alone, and its
   * signal aborts. Unit: milliseconds. @defaultValue 120000
   */
  readonly timeoutMs?: number;
}

type Limits = Required<Omit<SummarizingLimits, 'maxTokens' | 'createEvent' | 'background'>> &
  Pick<SummarizingLimits, 'maxTokens' | 'createEvent'>;

/** What has fewer is not worth a call: no summary is smaller. Unit: tokens. */
const leastTokens = 24;

/**
 * A rolling summary by whatever writes one: the first `keepFirst` events and the newest ones stay, and one summary takes the
 * place of what lies between. {@link llmSummarizingCondenser} is this one with a model, and says all of it.
 *
 * @throws {@link InvalidCondenserConfigError} when the numbers leave no room for a summary and one event behind it.
 */
export function summarizingCondenser(options: SummarizingOptions): Condenser {
  const { name = 'summarizing', summarizer, timeoutMs = defaultTimeoutMs } = options;
  const limits = checkedLimits(name, options);
  assertWholeNumber(name, 'timeoutMs', timeoutMs, 1);
  if (typeof summarizer?.summarize !== 'function') {
    const reason = "must be an object with 'summarize'";
    throw new InvalidCondenserConfigError({ condenser: name, option: 'summarizer', reason });
  }
  const parts = { name, summarizer, timeoutMs, limits };
  if (options.background !== true) return rollingSummary(parts);
  const { maxTokens } = limits;
  return backgroundCondenser({
    name,
    create: (asks) => rollingSummary({ ...parts, summarizer: telling(summarizer, asks), isEarly: true }),
    mustWait: (view, context) => requirementOf(view, context, { maxSize: Infinity, maxTokens }).level === 'hard',
  });
}

/** What a rolling summary is put together from. */
interface Parts {
  readonly name: string;
  readonly summarizer: Summarizer;
  readonly timeoutMs: number;
  readonly limits: Limits;
  /** Begun early, because nobody waits for it. @defaultValue false */
  readonly isEarly?: boolean;
}

function rollingSummary({ name, summarizer, timeoutMs, limits, isEarly = false }: Parts): Condenser {
  const summarise = (
    view: View,
    range: Selection,
    requirement: Requirement,
    context: CondenseContext,
    tries: Tries,
  ): Promise<Condensation> => {
    const content = rangeContent(view, range);
    if (content === undefined)
      throw new NoCondensationAvailableError(
        `the events ${range.start} to ${range.end} are protected or pinned, or one summary`,
      );
    if (content.tokens < leastTokens)
      throw new NoCondensationAvailableError(`a summary is no smaller than ${content.tokens} tokens`);
    const { maxSummaryTokens, minimumProgress, createEvent } = limits;
    if (!isWorthACall(view, content, requirement, minimumProgress)) {
      const share = `${content.forgotten.length} of ${view.events.length} events and ${content.tokens} of ${view.tokens()} tokens`;
      throw new NoCondensationAvailableError(`only ${share} may go, too little to be worth a summary`);
    }
    const subject = { condenser: name, summarizer, view, range, content, requirement, context, createEvent };
    return tryAgain(tries, name, context, (scale) =>
      summariseRange({ ...subject, maxSummaryTokens, minimumProgress, timeoutMs }, scale),
    );
  };

  return rollingCondenser({
    name,
    requirement: (view, context) =>
      requirementOf(view, context, { maxSize: limits.maxSize, maxTokens: limits.maxTokens, isEarly }),
    getCondensation: (view, requirement, context) => {
      const middle = middleOf(view, requirement, limits);
      if (middle === undefined)
        throw new NoCondensationAvailableError(
          `of ${view.events.length} events too few lie between the first ones and the newest step`,
        );
      const isWorthIt = ({ kind, mayRetry }: CondenserModelError): boolean => kind === 'overflow' && mayRetry;
      const tries = { most: limits.hardResetTries, isWorthIt };
      return summarise(view, middle, requirement, context, tries);
    },
    hardReset: (view, requirement, context, failure) => {
      if (CondenserModelError.isInstance(failure) && !failure.mayRetry) return undefined;
      const range = everythingOf(view, requirement);
      if (range === undefined) return undefined;
      const isWorthIt = ({ mayRetry }: CondenserModelError): boolean => mayRetry;
      const tries = { most: limits.hardResetTries, isWorthIt, scale: 1 };
      if (CondenserModelError.isInstance(failure)) {
        // What was too long has been tried so often already, with half each time.
        const overflows = failure.kind === 'overflow' ? limits.hardResetTries : 1;
        tries.most -= overflows - 1;
        for (let past = 0; past < overflows; past++) tries.scale = nextScale(tries.scale, failure);
      }
      return summarise(view, range, requirement, context, tries);
    },
  });
}

function checkedLimits(name: string, options: SummarizingLimits): Limits {
  const { maxSize = 120, maxTokens, maxSummaryTokens = 4_000, minimumProgress = 0.1, hardResetTries = 3 } = options;
  const keepFirst = checkedKeepFirst(name, maxSize, options.keepFirst);
  const { createEvent } = options;
  assertWholeNumber(name, 'maxSummaryTokens', maxSummaryTokens, 1);
  assertWholeNumber(name, 'hardResetTries', hardResetTries, 1);
  if (maxTokens !== undefined) assertWholeNumber(name, 'maxTokens', maxTokens, 1);
  if (!(minimumProgress > 0 && minimumProgress < 1)) {
    const reason = `must lie between 0 and 1, not ${minimumProgress}`;
    throw new InvalidCondenserConfigError({ condenser: name, option: 'minimumProgress', reason });
  }
  return {
    maxSize,
    keepFirst,
    maxSummaryTokens,
    minimumProgress,
    hardResetTries,
    maxTokens,
    createEvent,
  };
}
