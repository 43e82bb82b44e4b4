import { llmSummarizer, rangeContent, rollingCondenser, summariseRange } from '@palimpsest/condensers/authoring';
import type { Requirement, EventRange, Summarizer } from '@palimpsest/condensers/authoring';
import { isToolResult } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import { newestStep, NoCondensationAvailableError } from '@palimpsest/view';
import type { CondenseContext, Condenser, View } from '@palimpsest/view';

/** Options of {@link summariseOldest}. */
export interface SummariseOldestOptions {
  readonly name: string;
  readonly llm: LLM;
  /** True if it acts before this call. A request of the host is met in any case. */
  readonly isDue: (view: View, context: CondenseContext) => boolean;
  /** The range to summarise; its ends move forward to the next cut points, the end to the newest step at most. */
  readonly rangeOf: (view: View, context: CondenseContext) => EventRange;
  /** Changes what the model reads. @defaultValue all events of the range */
  readonly readerOf?: (summarizer: Summarizer, view: View) => Summarizer;
}

/** Makes a condenser that replaces a range of the history by a summary of its model. */
export function summariseOldest(options: SummariseOldestOptions): Condenser {
  const { name, llm, isDue, rangeOf, readerOf = (summarizer) => summarizer } = options;
  const summarizer = llmSummarizer({ llm, maxEventCharacters: 1_000_000 });
  return rollingCondenser({
    name,
    requirement: (view, context): Requirement => {
      const isRequested = view.unhandledCondensationRequest;
      if (!isRequested && !isDue(view, context)) return { level: 'none', reasons: [], tokenBudget: undefined };
      return {
        level: isRequested ? 'hard' : 'soft',
        reasons: [isRequested ? 'request' : 'events'],
        tokenBudget: undefined,
      };
    },
    getCondensation: (view, requirement, context) => {
      const wanted = rangeOf(view, context);
      const last = newestStep(view).cutPoint;
      const start = view.cutPoints.atOrAfter(wanted.start) ?? last;
      const end = Math.min(last, view.cutPoints.atOrAfter(wanted.end) ?? last);
      const content = end > start ? rangeContent(view, { start, end }) : undefined;
      if (content === undefined || content.tokens < 24) throw nothingOld(view);
      return summariseRange({
        condenser: name,
        summarizer: readerOf(summarizer, view),
        view,
        range: { start, end },
        content,
        requirement,
        maxSummaryTokens: 4_000,
        minProgress: 0,
        timeoutMs: 120_000,
        context,
        createEvent: undefined,
      });
    },
  });
}

function nothingOld(view: View): NoCondensationAvailableError {
  return new NoCondensationAvailableError(
    `of ${view.events.length} events none before the newest ones may be summarised`,
  );
}

/**
 * Returns the index of the first event of each message, where others count messages: a response of the model is one,
 * whatever it calls. The system prompt is none.
 *
 * @param results - `each`: the result of each call is a message; `together`: the results of a response are one
 */
export function messageStarts(view: View, results: 'each' | 'together'): readonly number[] {
  const starts: number[] = [];
  let isBehindResult = false;
  for (const [index, event] of [...view.events].entries()) {
    const isResult = isToolResult(event);
    const response = view.responseOf(event.id);
    const goesOn =
      response === undefined ? isResult && isBehindResult && results === 'together' : response !== event.id;
    if (event.type !== 'system-prompt' && !goesOn) starts.push(index);
    isBehindResult = isResult;
  }
  return starts;
}
