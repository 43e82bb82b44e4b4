import { isUserMessage, messageContent } from '@palimpsest/events';
import type { EventId } from '@palimpsest/events';
import { keptEventIds } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import { isCost, saysNothing } from '../model/ask-model.js';
import { withinDeadline } from '../model/deadline.js';
import { CondenserModelError } from '../model/model-failure.js';
import type { ModelAccount } from '../model/model-failure.js';
import type { Summarizer } from './summarizer.js';
import type { SummaryResult } from './summary-result.js';
import type { SummaryInput } from './summary-input.js';

/** A non-blank summary with its usage and cost. */
export interface AskedSummary {
  readonly text: string;
  /** The size of the summary in the view. Unit: tokens, as the view estimates. */
  readonly tokens: number;
  readonly account: ModelAccount;
  /** Whether it was asked for behind the agent's request. Undefined if it could not have been. */
  readonly isExtension?: boolean | undefined;
}

/** The shortest summary length that is requested. Unit: tokens. */
export const leastSummaryTokens = 64;

/**
 * Calls a built-in or custom summariser once, with a deadline.
 *
 * @throws {@link CondenserModelError} when there is no summary; the signal's reason when the caller aborts.
 */
export async function askForSummary(
  view: View,
  input: SummaryInput,
  options: {
    readonly summarizer: Summarizer;
    /** Unit: milliseconds. */
    readonly timeoutMs: number;
    readonly signal: AbortSignal | undefined;
  },
): Promise<AskedSummary> {
  const { summarizer, timeoutMs, signal } = options;
  const { model } = summarizer;
  let result: SummaryResult | undefined;
  try {
    result = await withinDeadline({ timeoutMs, signal, model }, (until) =>
      summarizer.summarize(input, { signal: until }),
    );
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    if (CondenserModelError.isInstance(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new CondenserModelError('error', reason, { account: { model }, cause: error });
  }
  const account = {
    model: result?.model ?? model,
    usage: result?.usage,
    costUsd: isCost(result?.costUsd) ? result?.costUsd : undefined,
  };
  // A summariser in plain JavaScript may return any value.
  const text = typeof result?.text === 'string' ? result.text.toWellFormed().trim() : '';
  if (saysNothing(text)) throw new CondenserModelError('empty', 'the summary is blank', { account });
  const event = { type: 'condensation-summary', id: 'summary', timestamp: '', source: 'environment' } as const;
  const isExtension = input.conversation === undefined ? {} : { isExtension: result?.isExtension === true };
  return { text, tokens: view.tokensOf({ ...event, summary: text }), account, ...isExtension };
}

/** The user's messages that stay beside a summary, in order, without those that the summary includes anyway. Images are named. */
export function wordsThatStay(view: View, isInIt: (id: EventId) => boolean = () => false): readonly string[] {
  const words: { readonly index: number; readonly text: string }[] = [];
  for (const id of keptEventIds(view)) {
    const index = view.indexOf(id);
    const event = index === undefined ? undefined : view.events.at(index);
    if (index === undefined || event === undefined || !isUserMessage(event) || isInIt(id)) continue;
    const parts = messageContent(event).map((part) => (part.type === 'text' ? part.text : '[image]'));
    words.push({ index, text: parts.join('\n') });
  }
  return words.sort((a, b) => a.index - b.index).map(({ text }) => text);
}
