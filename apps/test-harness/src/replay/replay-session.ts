import type { Event } from '@palimpsest/events';
import type { Condenser, View } from '@palimpsest/view';
import { condensedViews } from './condensed-views.js';
import type { Refusal } from './refusals.js';
import { canonicalSequence, extendsSequence } from './sent-prefix.js';
import type { TokenCounter } from './token-counter.js';

/** What one condenser made of one recorded session. Unit of all token counts: that of the counter. */
export interface SessionReplay {
  readonly condenser: string;
  readonly modelCalls: number;
  readonly tokensSent: number;
  readonly peakTokens: number;
  readonly eventsInViewAtEnd: number;
  readonly condensations: number;
  /** Calls whose messages do not begin with all that the call before them was sent. */
  readonly prefixRewrites: number;
  readonly refusedLists: number;
  /** The first few refusals. */
  readonly refusals: readonly (Refusal & { readonly modelCall: number })[];
  /** Calls at which the condenser failed; the view was sent as it was. */
  readonly condenserErrors: readonly { readonly modelCall: number; readonly message: string }[];
  /** Time spent in our code: folding, condensing and rendering. Unit: milliseconds. */
  readonly milliseconds: number;
}

/** Options of {@link replaySession}. */
export interface ReplayOptions {
  readonly countTokens: TokenCounter;
  readonly findRefusals: (messages: ReturnType<View['toMessages']>) => readonly Refusal[];
  /** The window that condensers are told of. Unit: tokens. @defaultValue none */
  readonly contextWindow?: number;
  /** Called before each model call. */
  readonly onModelCall?: (done: number, of: number) => void;
}

const refusalsKept = 5;

/**
 * Goes through a recorded session: at every model call it builds the view of what had happened by then, lets the condenser
 * act, and measures what would have been sent. What the condenser forgets stays forgotten for later calls.
 */
export async function replaySession(
  recorded: readonly Event[],
  condenser: Condenser,
  options: ReplayOptions,
): Promise<SessionReplay> {
  const refusals: (Refusal & { readonly modelCall: number })[] = [];
  const condenserErrors: { readonly modelCall: number; readonly message: string }[] = [];
  let [tokensSent, peakTokens, condensations, prefixRewrites, refusedLists, milliseconds] = [0, 0, 0, 0, 0, 0];
  let [calls, eventsInViewAtEnd] = [0, 0];
  let sentBefore: readonly string[] = [];

  for await (const { modelCall, view, errors, ...made } of condensedViews(recorded, condenser, options)) {
    calls++;
    condensations += made.condensations;
    condenserErrors.push(...errors.map((message) => ({ modelCall, message })));
    const messages = view.toMessages();
    milliseconds += performance.now() - made.startedAt;
    eventsInViewAtEnd = view.events.length;

    const tokens = options.countTokens(messages);
    tokensSent += tokens;
    peakTokens = Math.max(peakTokens, tokens);
    const sent = canonicalSequence(messages);
    if (!extendsSequence(sentBefore, sent)) prefixRewrites++;
    sentBefore = sent;
    const refused = options.findRefusals(messages);
    if (refused.length > 0) refusedLists++;
    for (const refusal of refused.slice(0, refusalsKept - refusals.length)) refusals.push({ ...refusal, modelCall });
  }
  return {
    condenser: condenser.name,
    modelCalls: calls,
    tokensSent,
    peakTokens,
    eventsInViewAtEnd,
    condensations,
    prefixRewrites,
    refusedLists,
    refusals,
    condenserErrors,
    milliseconds,
  };
}
