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

/** What is summarised, by whom and why. */
export interface RangeToSummarise {
  readonly condenser: string;
  readonly summarizer: Summarizer;
  readonly view: View;
  readonly range: Selection;
  readonly content: RangeContent;
  readonly requirement: Requirement;
  /** Unit: tokens. */
  readonly maxSummaryTokens: number;
  /** What a summary must save where the view holds too many tokens. Unit: share of the view's tokens. */
  readonly minProgress: number;
  /** How long a summary may take. Unit: milliseconds. */
  readonly timeoutMs: number;
  readonly context: CondenseContext;
  readonly createEvent: CreateEvent | undefined;
}

/**
 * Asks for one summary of a range and makes the condensation that puts it in the range's place. Fails closed: whatever is wrong
 * with the summary, nothing has happened.
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

/** At least one token; and while the view would still be over its budget, the minimum, so that no chain of tiny steps begins. */
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
