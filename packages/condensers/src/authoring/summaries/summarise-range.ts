import type { Condensation, CreateEvent } from '@palimpsest/events';
import { condensation } from '@palimpsest/view';
import type { CondenseContext, View } from '@palimpsest/view';
import { accountingOf } from '../rolling/accounting.js';
import { askForSummary, leastSummaryTokens, wordsThatStay } from './asked-summary.js';
import type { AskedSummary } from './asked-summary.js';
import { CondenserModelError } from '../model/model-failure.js';
import type { RangeContent } from '../rolling/range-content.js';
import type { Requirement } from '../rolling/requirement.js';
import type { Selection } from '../rolling/select-middle.js';
import type { Summarizer } from './summarizer.js';

/** The range to summarise, the summariser and the reasons. */
export interface RangeToSummarise {
  readonly condenser: string;
  readonly summarizer: Summarizer;
  readonly view: View;
  readonly range: Selection;
  readonly content: RangeContent;
  readonly requirement: Requirement;
  /** Unit: tokens. */
  readonly maxSummaryTokens: number;
  /** The least that a summary must save if the view holds too many tokens. Unit: share of the view's tokens. */
  readonly minProgress: number;
  /** The deadline of a summary. Unit: milliseconds. */
  readonly timeoutMs: number;
  readonly context: CondenseContext;
  readonly createEvent: CreateEvent | undefined;
}

/**
 * Requests one summary of a range and creates the condensation that replaces the range. Fails closed: if anything is wrong with
 * the summary, the history is unchanged.
 *
 * @throws {@link CondenserModelError} when there is no summary, or none that makes the view smaller; the signal's reason when the
 *   caller aborts.
 */
export async function summariseRange(options: RangeToSummarise, inputScale = 1): Promise<Condensation> {
  const { view, content, requirement, createEvent } = options;
  const { text, tokens: summaryTokens, account } = await askFor(options, inputScale);
  const savedTokens = content.tokens - summaryTokens;
  if (savedTokens < leastSaved(options, savedTokens)) {
    const reason = `the summary has ${summaryTokens} tokens, and what it would replace ${content.tokens}`;
    throw new CondenserModelError('too-large', reason, { account });
  }
  return condensation({
    view,
    ...options.range,
    summary: text,
    metadata: {
      ...accountingOf({
        condenser: options.condenser,
        reason: requirement.reasons.join(', '),
        view,
        savedTokens,
        tokenBudget: requirement.tokenBudget,
        ...account,
      }),
      coveredEvents: content.forgotten.length,
    },
    createEvent,
  });
}

/**
 * The least savings: one token, or the minimum share if the view would still be over its budget. This avoids a chain of tiny
 * steps.
 */
function leastSaved({ view, requirement, minProgress }: RangeToSummarise, saved: number): number {
  const isStillOver =
    requirement.reasons.includes('tokens') && view.tokens() - saved > (requirement.tokenBudget ?? Infinity);
  return isStillOver ? Math.max(1, view.tokens() * minProgress) : 1;
}

function askFor(options: RangeToSummarise, inputScale: number): Promise<AskedSummary> {
  const { view, content, summarizer, timeoutMs, context, requirement } = options;
  const budget = requirement.tokenBudget === undefined ? Infinity : Math.floor(requirement.tokenBudget / 4);
  const maxSummaryTokens = Math.max(
    leastSummaryTokens,
    Math.min(options.maxSummaryTokens, budget, Math.floor(content.tokens / 2)),
  );
  const { events, previousSummary } = content;
  const input = { events, previousSummary, userWords: wordsThatStay(view), maxSummaryTokens, inputScale };
  return askForSummary(view, input, { summarizer, timeoutMs, signal: context.signal });
}
