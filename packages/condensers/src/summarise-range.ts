import { messageContent } from '@palimpsest/events';
import type { Condensation, CreateEvent } from '@palimpsest/events';
import { condensation } from '@palimpsest/view';
import type { CondenseContext, View } from '@palimpsest/view';
import { accountingOf } from './accounting.js';
import { saysNothing } from './ask-model.js';
import { keptEventIds } from './kept-events.js';
import { CondenserModelError } from './model-failure.js';
import type { RangeContent } from './range-content.js';
import type { Requirement } from './requirement.js';
import type { Selection } from './select-middle.js';
import type { Summarizer, SummaryResult } from './summarizer.js';

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
  readonly minimumProgress: number;
  readonly context: CondenseContext;
  readonly createEvent: CreateEvent | undefined;
}

/** A shorter summary than this is not asked for. Unit: tokens. */
const leastSummaryTokens = 64;

/**
 * Asks for one summary of a range and makes the condensation that puts it in the range's place. Fails closed: whatever is wrong
 * with the summary, nothing has happened.
 *
 * @throws {@link CondenserModelError} when there is no summary, or none that makes the view smaller; the signal's reason when the
 *   caller aborts.
 */
export async function summariseRange(options: RangeToSummarise, inputScale = 1): Promise<Condensation> {
  const { view, content, requirement, createEvent } = options;
  const result = await askFor(options, inputScale);
  // A summariser in plain JavaScript may answer anything.
  const text = typeof result?.text === 'string' ? result.text.trim() : '';
  const account = { model: result?.model ?? options.summarizer.model, usage: result?.usage, costUsd: result?.costUsd };
  if (saysNothing(text)) throw new CondenserModelError('empty', 'the summary is blank', { account });
  const summaryTokens = view.tokensOf({
    type: 'condensation-summary',
    id: 'summary',
    timestamp: '',
    source: 'environment',
    summary: text,
  });
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
    ...(createEvent === undefined ? {} : { createEvent }),
  });
}

/** At least one token; and while the view would still be over its budget, the minimum, so that no chain of tiny steps begins. */
function leastSaved({ view, requirement, minimumProgress }: RangeToSummarise, saved: number): number {
  const isStillOver =
    requirement.reasons.includes('tokens') && view.tokens() - saved > (requirement.tokenBudget ?? Infinity);
  return isStillOver ? Math.max(1, view.tokens() * minimumProgress) : 1;
}

async function askFor(options: RangeToSummarise, inputScale: number): Promise<SummaryResult | undefined> {
  const { view, content, summarizer, context, requirement } = options;
  const budget = requirement.tokenBudget === undefined ? Infinity : Math.floor(requirement.tokenBudget / 4);
  const maxTokens = Math.max(
    leastSummaryTokens,
    Math.min(options.maxSummaryTokens, budget, Math.floor(content.tokens / 2)),
  );
  try {
    // A summariser of somebody else's may ignore its signal.
    return await untilAborted(context.signal, () =>
      summarizer.summarize(
        {
          events: content.events,
          previousSummary: content.previousSummary,
          userWords: wordsThatStay(view),
          maxTokens,
          inputScale,
        },
        { signal: context.signal },
      ),
    );
  } catch (error) {
    if (context.signal?.aborted === true) throw context.signal.reason;
    if (CondenserModelError.isInstance(error)) throw error;
    const account = { model: summarizer.model };
    throw new CondenserModelError('error', error instanceof Error ? error.message : String(error), {
      account,
      cause: error,
    });
  }
}

/** What the work gives; when the signal aborts, its reason at once, though the work goes on. */
async function untilAborted<Result>(signal: AbortSignal | undefined, work: () => Promise<Result>): Promise<Result> {
  signal?.throwIfAborted();
  if (signal === undefined) return work();
  let stop = (): void => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work(), stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function wordsThatStay(view: View): readonly string[] {
  const words: string[] = [];
  for (const id of keptEventIds(view)) {
    const event = view.events.at(view.indexOf(id) ?? view.events.length);
    if (event?.type !== 'message' || event.source !== 'user') continue;
    const text = messageContent(event)
      .map((part) => (part.type === 'text' ? part.text : '[image]'))
      .join('\n');
    words.push(text);
  }
  return words;
}
