import type { View } from '@palimpsest/view';
import { CondenserModelError } from '../authoring/definition/errors.js';
import type { ModelAccount } from '../authoring/definition/errors.js';
import type { SummaryInput } from '../authoring/model/prompt.js';
import { wordsThatStay } from '../authoring/summaries/kept-text.js';
import { askForSummary, leastSummaryTokens } from '../authoring/summaries/summarizer.js';
import type { Summarizer } from '../authoring/summaries/summarizer.js';
import type { WindowPlan } from './window-plan.js';

/** A summary that can replace its window, and its savings. */
export interface WindowSummary {
  readonly text: string;
  /** The forgotten tokens minus the summary's. Unit: tokens, as the view estimates. */
  readonly savedTokens: number;
  readonly account: ModelAccount;
}

/** The settings of a summariser call. */
export interface AskSummarizerOptions {
  readonly summarizer: Summarizer;
  /** Unit: milliseconds. */
  readonly timeoutMs: number;
  /** Unit: tokens. */
  readonly maxSummaryTokens: number;
  readonly signal: AbortSignal | undefined;
  /** What the user wants the summary to keep in view. */
  readonly focus: string | undefined;
}

/** The summariser's input after a prompt that was too long. Unit: share. */
const smallerInput = 0.5;

/**
 * Requests the summary of a window, with a deadline that also holds for a custom summariser that ignores its signal. If the input
 * was too long, the summariser is called once more with less.
 *
 * @throws {@link CondenserModelError} when there is no summary, or none that makes the view smaller; the signal's reason when the
 *   caller aborts.
 */
export async function askSummarizer(
  view: View,
  plan: WindowPlan,
  options: AskSummarizerOptions,
): Promise<WindowSummary> {
  const forgottenTokens = tokensOf(view, plan.forgotten);
  const read = new Set(plan.items.map(({ event }) => event.id));
  const input: SummaryInput = {
    events: plan.items.map(({ event }) => event),
    previousSummary: plan.seeds.length === 0 ? undefined : plan.seeds.map(({ event }) => event.summary).join('\n\n'),
    // An event that is read again may still be in the view.
    userWords: wordsThatStay(view, (id) => read.has(id) || plan.forgotten.has(id)),
    focus: options.focus,
    maxSummaryTokens: Math.max(leastSummaryTokens, Math.min(options.maxSummaryTokens, Math.floor(forgottenTokens / 2))),
  };
  const summary = await askForSummary(view, input, options).catch((error: unknown) => {
    if (!CondenserModelError.isInstance(error) || error.kind !== 'overflow' || !error.mayRetry) throw error;
    return askForSummary(view, { ...input, inputScale: smallerInput }, options);
  });
  const { text, tokens, account } = summary;
  if (tokens >= forgottenTokens) {
    const reason = `the summary has ${tokens} tokens, and what it would replace ${forgottenTokens}`;
    throw new CondenserModelError('too-large', reason, { account });
  }
  return { text, savedTokens: forgottenTokens - tokens, account };
}

function tokensOf(view: View, ids: ReadonlySet<string>): number {
  let tokens = 0;
  for (const id of ids) {
    const index = view.indexOf(id);
    if (index !== undefined) tokens += view.tokens(index, index + 1);
  }
  return tokens;
}
