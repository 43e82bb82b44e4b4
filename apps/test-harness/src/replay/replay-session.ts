import { eventFactory } from '@palimpsest/events';
import type { Condensation, CreateEvent, Event } from '@palimpsest/events';
import { condensationProblem, isCondensation, ViewProjection } from '@palimpsest/view';
import type { Condenser, View } from '@palimpsest/view';
import { modelCalls } from '../import/index.js';
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

/** Decisions that the recorded session's own condenser made. A replay leaves them out: it is the condenser's turn now. */
const recordedDecisions = new Set([
  'condensation',
  'condensation-request',
  'condensation-attempt',
  'condensation-revert',
]);

const condensationsInARow = 3;
const refusalsKept = 5;

/**
 * Goes through a recorded session: at every model call it builds the view of what had happened by then, lets the condenser
 * act, and measures what would have been sent. What the condenser forgets stays forgotten for the calls after it.
 */
export async function replaySession(
  recorded: readonly Event[],
  condenser: Condenser,
  options: ReplayOptions,
): Promise<SessionReplay> {
  const events = recorded.filter(({ type }) => !recordedDecisions.has(type));
  const calls = modelCalls(events);
  const projection = new ViewProjection();
  const createEvent = replayEvents();
  const refusals: (Refusal & { readonly modelCall: number })[] = [];
  const condenserErrors: { readonly modelCall: number; readonly message: string }[] = [];
  let [tokensSent, peakTokens, condensations, prefixRewrites, refusedLists, milliseconds] = [0, 0, 0, 0, 0, 0];
  let sentBefore: readonly string[] = [];
  let folded = 0;
  let view: View = projection.view;

  for (const [modelCall, index] of calls.entries()) {
    options.onModelCall?.(modelCall, calls.length);
    const start = performance.now();
    for (; folded < index; folded++) projection.append(events[folded] as Event);
    for (let round = 0; round < condensationsInARow; round++) {
      view = projection.view;
      const { result, attempts, error } = await condenseOnce(condenser, view, createEvent, options.contextWindow);
      for (const attempt of attempts) projection.append(attempt);
      if (error !== undefined) condenserErrors.push({ modelCall, message: error });
      if (!isCondensation(result)) {
        view = result;
        break;
      }
      condensations++;
      projection.append(result);
      view = projection.view;
    }
    const messages = view.toMessages();
    milliseconds += performance.now() - start;

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
    modelCalls: calls.length,
    tokensSent,
    peakTokens,
    eventsInViewAtEnd: view.events.length,
    condensations,
    prefixRewrites,
    refusedLists,
    refusals,
    condenserErrors,
    milliseconds,
  };
}

/** One call of the condenser, as a host makes it: what it reports goes into the log. A failure, and what a host refuses, leaves the view. */
async function condenseOnce(
  condenser: Condenser,
  view: View,
  createEvent: CreateEvent,
  contextWindow: number | undefined,
): Promise<{
  readonly result: View | Condensation;
  readonly attempts: readonly Event[];
  readonly error?: string;
}> {
  const attempts: Event[] = [];
  try {
    const result = await condenser.condense(view, {
      ...(contextWindow === undefined ? {} : { contextWindow }),
      report: (attempt) => {
        attempts.push(createEvent('condensation-attempt', { condenser: condenser.name, ...attempt }));
      },
    });
    const problem = isCondensation(result) ? condensationProblem(view, result, condenser) : undefined;
    return problem === undefined ? { result, attempts } : { result: view, attempts, error: problem.reason };
  } catch (error) {
    return { result: view, attempts, error: error instanceof Error ? error.message : String(error) };
  }
}

/** Ids that no recorded event has, the same in every replay. */
function replayEvents(): CreateEvent {
  let count = 0;
  return eventFactory({ newId: () => `replay-${++count}`, now: () => new Date(0) });
}
