import { isErrorResult, isToolResult } from '@palimpsest/events';
import type {
  ActionEvent,
  Condensation,
  CreateEvent,
  EventId,
  LLMConvertibleEvent,
  Redaction,
  ToolResultEvent,
} from '@palimpsest/events';
import { condensation, NoCondensationAvailableError, redactedCopy } from '@palimpsest/view';
import type { CondenseContext, Condenser, Replacement, View } from '@palimpsest/view';
import { maskedArguments } from './argument-mask.js';
import { newestStep } from './newest-step.js';
import { noContext } from './no-context.js';
import { observationStub } from './observation-stub.js';
import { assertWholeNumber } from './option-checks.js';
import { requirementOf } from './requirement.js';

/** Options of {@link observationMaskingCondenser}. */
export interface ObservationMaskingOptions {
  /** How many of the newest events stay as they are. Unit: events, of any type. @defaultValue 24 */
  readonly attentionWindow?: number;
  /**
   * Old results are masked, all at once, when that saves so much; no more than a tenth of the model's window, where that is
   * known. Unit: tokens. @defaultValue 8000
   */
  readonly minSavedTokens?: number;
  /** Masks long texts in the arguments of old calls too (file contents, patches); paths and short texts stay. @defaultValue false */
  readonly maskArguments?: boolean;
  /** Makes the condensation. @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent;
}

interface Plan {
  readonly redactions: readonly Redaction[];
  readonly savedTokens: number;
}

const name = 'observationMasking';

/** A failure of at most this size stays: it says what not to try again. Unit: tokens. */
const keptErrorTokens = 250;
/** A mask that saves less is not worth a change. Unit: tokens. */
const leastSavedByOne = 40;
/** What an urgent masking must save. Unit: share of the view's tokens. */
const leastSavedWhenUrgent = 0.1;

/**
 * Masks old tool results in batches. While little can be saved, the view stays as it is, so that what a provider has cached
 * holds; when the results behind the attention window could save `minSavedTokens`, one condensation masks them all. Calls, ids,
 * positions and the newest step stay. So do results that were masked before, the user's refusals, and failures of up to 250
 * tokens. Each mask is shorter than what it replaces and says what was there.
 *
 * A view that is over the model's budget, or whose condensation was asked for, is urgent: then a tenth of its tokens is
 * enough, and where the attention window holds more than that, everything before the newest step is masked.
 *
 * Why in batches of 8000: changing one old result makes a provider write everything behind it again, at 11 to 24 times the
 * price of reading it (by the price lists of 2026). On eleven long recorded coding sessions, windows of 12 to 40 events and
 * thresholds of 1000 to 32 000 tokens, 4000 to 8000 cost least at cache reads of 0.1 and 0.05 of the input's price; masking
 * cost 63 % and 71 % of no masking, and masking 1000 at a time 69 % and 85 %.
 *
 * Bound: none, because calls and words stay; compose it with one that forgets.
 *
 * @throws {@link InvalidCondenserConfigError} when a number is out of range; `condense` throws
 *   {@link NoCondensationAvailableError} when a condensation was asked for and masking would save too little.
 * @see ObservationMaskingCondenser of OpenHands at d6fab190, which masks anew at each step and loses the call's id
 */
export function observationMaskingCondenser(options: ObservationMaskingOptions = {}): Condenser {
  const { attentionWindow = 24, minSavedTokens = 8_000, maskArguments = false, createEvent } = options;
  assertWholeNumber(name, 'attentionWindow', attentionWindow, 0);
  assertWholeNumber(name, 'minSavedTokens', minSavedTokens, 1);

  const act = (view: View, plan: Plan, end: number, reason: string): Condensation | undefined => {
    const tokensAfter = view.replace(replacements(view, plan.redactions)).tokens();
    if (tokensAfter >= view.tokens()) return undefined;
    const through = view.events.at(end - 1)?.id;
    return condensation({
      view,
      redactions: plan.redactions,
      metadata: {
        condenser: name,
        reason,
        tokensBefore: view.tokens(),
        tokensAfter,
        masked: plan.redactions.length,
        through,
      },
      ...(createEvent === undefined ? {} : { createEvent }),
    });
  };

  return {
    name,
    handlesCondensationRequests: true,
    condense: (view, context = noContext) => {
      const newest = newestStep(view).start;
      const windowStart = Math.max(0, Math.min(view.events.length - attentionWindow, newest));
      const from = firstUnmasked(view);
      const enough = Math.min(minSavedTokens, Math.ceil((context.contextWindow ?? Infinity) / 10));
      const mayBeEnough =
        view.tokens(from, windowStart) >= enough && savableTokens(view, from, windowStart, maskArguments) >= enough;
      if (mayBeEnough) {
        const plan = planMasks(view, from, windowStart, maskArguments);
        const done = plan.savedTokens >= enough ? act(view, plan, windowStart, 'batch') : undefined;
        if (done !== undefined) return done;
      }
      const urgency = urgencyOf(view, context);
      if (urgency === undefined) return view;
      for (const end of [windowStart, newest]) {
        const plan = planMasks(view, 0, end, maskArguments);
        if (plan.redactions.length === 0 || plan.savedTokens < Math.min(enough, view.tokens() * leastSavedWhenUrgent))
          continue;
        const done = act(view, plan, end, urgency);
        if (done !== undefined) return done;
      }
      if (urgency !== 'request') return view;
      throw new NoCondensationAvailableError('masking old results would save less than a tenth of the view');
    },
  };
}

function urgencyOf(view: View, context: CondenseContext): 'request' | 'tokens' | undefined {
  if (view.unhandledCondensationRequest) return 'request';
  const { reasons } = requirementOf(view, context, { maxSize: Infinity, maxTokens: undefined });
  return reasons.includes('tokens') ? 'tokens' : undefined;
}

/** Where the last batch ended: what stands before it was looked at. Found in the log, so that nothing is kept between calls. */
function firstUnmasked(view: View): number {
  const { condensations } = view;
  for (let index = condensations.length - 1; index >= 0; index--) {
    const metadata = condensations.at(index)?.metadata;
    if (metadata?.['condenser'] !== name) continue;
    const { through } = metadata;
    const last = typeof through === 'string' ? view.indexOf(through) : undefined;
    return last === undefined ? 0 : last + 1;
  }
  return 0;
}

/** More than masking a range can save, at the cost of a look at each event: most calls end here. Unit: tokens. */
function savableTokens(view: View, from: number, to: number, maskArguments: boolean): number {
  let tokens = 0;
  for (let index = from; index < to; index++) {
    const event = view.events.at(index);
    if (event !== undefined && isMaskable(event, view.tokens(index, index + 1), maskArguments))
      tokens += view.tokens(index, index + 1);
  }
  return tokens;
}

function planMasks(view: View, from: number, to: number, maskArguments: boolean): Plan {
  const possible: { readonly index: number; readonly redaction: Redaction }[] = [];
  for (let index = from; index < to; index++) {
    const event = view.events.at(index);
    if (event === undefined || !isMaskable(event, view.tokens(index, index + 1), maskArguments)) continue;
    const redaction = maskOf(view, event, index);
    if (redaction !== undefined) possible.push({ index, redaction });
  }
  // Only the view knows by which estimate it counts, so the copies are counted in one that holds them all.
  const copies = replacements(
    view,
    possible.map(({ redaction }) => redaction),
  );
  const replaced = copies.size === 0 ? view : view.replace(copies);
  const redactions: Redaction[] = [];
  let savedTokens = 0;
  for (const { index, redaction } of possible) {
    const saved = view.tokens(index, index + 1) - replaced.tokens(index, index + 1);
    if (saved < leastSavedByOne) continue;
    redactions.push(redaction);
    savedTokens += saved;
  }
  return { redactions, savedTokens };
}

function isMaskable(event: LLMConvertibleEvent, tokens: number, maskArguments: boolean): boolean {
  if (event.type === 'action') return maskArguments && event.redacted !== true && tokens >= leastSavedByOne;
  if (!isToolResult(event) || event.redacted === true || event.type === 'user-reject-observation') return false;
  return tokens >= (isErrorResult(event) ? keptErrorTokens + 1 : leastSavedByOne);
}

function maskOf(view: View, event: LLMConvertibleEvent, index: number): Redaction | undefined {
  if (event.type === 'action') {
    const masked = maskedArguments(event.toolCall.arguments);
    return masked === undefined ? undefined : { eventId: event.id, arguments: masked };
  }
  if (!isToolResult(event)) return undefined;
  const text = observationStub(event, answeredCall(view, event, index));
  return text === undefined ? undefined : { eventId: event.id, text };
}

/** The call that a result answers, as it was logged: the one it names, or else the nearest before it with its tool call id. */
function answeredCall(view: View, result: ToolResultEvent, index: number): ActionEvent | undefined {
  const named = result.actionId === undefined ? undefined : view.original(result.actionId);
  if (named?.type === 'action') return named;
  for (let before = index - 1; before >= 0; before--) {
    const event = view.events.at(before);
    if (event?.type !== 'action' || event.toolCall.id !== result.toolCallId) continue;
    const logged = view.original(event.id);
    return logged?.type === 'action' ? logged : event;
  }
  return undefined;
}

function replacements(view: View, redactions: readonly Redaction[]): ReadonlyMap<EventId, Replacement> {
  const changes = new Map<EventId, Replacement>();
  for (const redaction of redactions) {
    const index = view.indexOf(redaction.eventId);
    const event = index === undefined ? undefined : view.events.at(index);
    const copy = event === undefined ? undefined : redactedCopy(event, redaction);
    if (copy !== undefined) changes.set(redaction.eventId, { event: copy });
  }
  return changes;
}
