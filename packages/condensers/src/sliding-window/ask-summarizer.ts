import type { CondensationSummaryEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import { keptEventIds } from '../kept-events.js';
import { wordsOfEvent } from '../manifest/words-of-event.js';
import { saysNothing } from '../ask-model.js';
import { CondenserModelError } from '../model-failure.js';
import type { ModelAccount } from '../model-failure.js';
import type { Summarizer, SummaryInput, SummaryResult } from '../summarizer.js';
import type { WindowPlan } from './window-plan.js';

/** A summary that can take the place of its window, and what it is worth. */
export interface WindowSummary {
  readonly text: string;
  /** What goes, less the summary. Unit: tokens, as the view estimates. */
  readonly savedTokens: number;
  readonly account: ModelAccount;
}

/** How a summariser is asked. */
export interface AskSummarizerOptions {
  readonly summarizer: Summarizer;
  /** Unit: milliseconds. */
  readonly timeoutMs: number;
  /** Unit: tokens. */
  readonly maxSummaryTokens: number;
  readonly signal: AbortSignal | undefined;
}

/** A shorter summary than this is not asked for. Unit: tokens. */
const leastSummaryTokens = 64;
/** What a summariser is given to read when all of it was too much. Unit: share. */
const smallerInput = 0.5;

/**
 * Asks for the summary of a window, with a deadline that holds also for a summariser of somebody else's that ignores its signal.
 * One that could not read so much is asked once more, with less.
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
  const input: SummaryInput = {
    events: plan.items.map(({ event }) => event),
    previousSummary: plan.seeds.length === 0 ? undefined : plan.seeds.map(({ event }) => event.summary).join('\n\n'),
    userWords: wordsThatStay(view, plan),
    maxTokens: Math.max(leastSummaryTokens, Math.min(options.maxSummaryTokens, Math.floor(forgottenTokens / 2))),
  };
  let result: SummaryResult | undefined;
  try {
    result = await withinTime(input, options);
  } catch (error) {
    if (!CondenserModelError.isInstance(error) || error.kind !== 'overflow' || !error.mayRetry) throw error;
    result = await withinTime({ ...input, inputScale: smallerInput }, options);
  }
  const account = {
    model: result?.model ?? options.summarizer.model,
    usage: result?.usage,
    costUsd: result?.costUsd,
  };
  // A summariser in plain JavaScript may answer anything.
  const text = typeof result?.text === 'string' ? result.text.trim() : '';
  if (saysNothing(text)) throw new CondenserModelError('empty', 'the summary is blank', { account });
  const summaryTokens = view.tokensOf(summaryEvent(text));
  if (summaryTokens >= forgottenTokens) {
    const reason = `the summary has ${summaryTokens} tokens, and what it would replace ${forgottenTokens}`;
    throw new CondenserModelError('too-large', reason, { account });
  }
  return { text, savedTokens: forgottenTokens - summaryTokens, account };
}

async function withinTime(
  input: SummaryInput,
  { summarizer, timeoutMs, signal }: AskSummarizerOptions,
): Promise<SummaryResult | undefined> {
  signal?.throwIfAborted();
  const account = { model: summarizer.model };
  const call = new AbortController();
  const deadline = new CondenserModelError('timeout', `the summariser took longer than ${timeoutMs} ms`, { account });
  const timer = setTimeout(() => call.abort(deadline), timeoutMs);
  const passOn = (): void => call.abort(signal?.reason);
  signal?.addEventListener('abort', passOn, { once: true });
  try {
    const stopped = new Promise<never>((_, reject) => {
      call.signal.addEventListener('abort', () => reject(call.signal.reason as Error), { once: true });
    });
    return await Promise.race([summarizer.summarize(input, { signal: call.signal }), stopped]);
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    if (call.signal.aborted) throw deadline;
    if (CondenserModelError.isInstance(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new CondenserModelError('error', reason, { account, cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', passOn);
  }
}

/** What the user said that stands beside the summary and is not in it: the request that goes on. */
function wordsThatStay(view: View, { items, forgotten }: WindowPlan): readonly string[] {
  const read = new Set(items.map(({ event }) => event.id));
  return [...keptEventIds(view)].flatMap((id) => {
    const event = view.events.at(view.indexOf(id) ?? view.events.length);
    if (event?.type !== 'message' || event.source !== 'user' || read.has(id) || forgotten.has(id)) return [];
    return wordsOfEvent(event) ?? [];
  });
}

function tokensOf(view: View, ids: ReadonlySet<string>): number {
  let tokens = 0;
  for (const id of ids) {
    const index = view.indexOf(id);
    if (index !== undefined) tokens += view.tokens(index, index + 1);
  }
  return tokens;
}

function summaryEvent(summary: string): CondensationSummaryEvent {
  return { type: 'condensation-summary', id: 'summary', timestamp: '', source: 'environment', summary };
}
