import { context } from '@opentelemetry/api';
import type { Attributes, Span, SpanContext } from '@opentelemetry/api';
import type { Condensation, CondensationAttempt } from '@palimpsest/events';
import { isCondensation } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import type { CondensationWork } from '../instrumentation.js';
import { costOf } from '../model/call-cost.js';
import { isEmpty } from '../state.js';
import type { CondensationFigures } from './span.js';
import { CondensationSpan, idOf, names, spanContext, recordError, recordFailure, within } from './span.js';
import type { Telemetry } from './span.js';

/** The spans in which a condensation was begun that is made in the background, until it is made. */
export class BackgroundCondensations {
  readonly #begun = new Map<string, SpanContext>();

  begin(conversationId: string, span: SpanContext): void {
    this.#begun.delete(conversationId);
    this.#begun.set(conversationId, span);
    const [oldest] = this.#begun.keys();
    // An abandoned conversation never takes what was made for it.
    if (this.#begun.size > mostBegun && oldest !== undefined) this.#begun.delete(oldest);
  }

  taken(conversationId: string): SpanContext | undefined {
    const begun = this.#begun.get(conversationId);
    this.#begun.delete(conversationId);
    return begun;
  }
}

const mostBegun = 1_000;

export async function observedCondensation(
  about: CondensationWork,
  work: (attempted: (attempt: CondensationAttempt) => void) => Promise<View | Condensation>,
  { tracer, measures }: Telemetry,
  background: BackgroundCondensations,
): Promise<View | Condensation> {
  const active = context.active();
  const { conversationId = spanContext(active).conversationId, condenser, signal } = about;
  const started = { ...idOf(conversationId), [names.condenser]: condenser };
  const condensation = new CondensationSpan(tracer, condenser, started, active);
  const around = within(active, { conversationId, condensation });
  let lastAttempt: string | undefined;
  const attempted = ({ outcome }: CondensationAttempt): void => {
    condensation.begun()?.addEvent(names.attempt, { [names.attemptOutcome]: outcome });
    lastAttempt = outcome;
  };
  try {
    const result = await context.with(around, () => work(attempted));
    if (isCondensation(result)) measures.condensation(recordCondensation(condensation.begun(), result, about));
    else if (condensation.exists) recordView(condensation, lastAttempt);
    if (conversationId !== undefined) recordBackground(condensation, result, conversationId, background);
    return result;
  } catch (error) {
    const span = condensation.begun();
    if (span !== undefined) recordFailure(span, error, signal);
    throw error;
  } finally {
    condensation.end();
  }
}

/** Returns what the span says of the condensation. */
function recordCondensation(span: Span | undefined, made: Condensation, about: CondensationWork): CondensationFigures {
  const { metadata = {}, forgottenEventIds, redactions = [], summary } = made;
  const { reason, tokensBefore, tokensAfter, background, costUsd } = metadata;
  const before = numberOr(tokensBefore, () => about.view.tokens());
  const after = numberOr(tokensAfter, () => about.viewNow().tokens());
  const cost = costOf({ costUsd: costUsd as number | undefined }).costUsd;
  const outcome = isEmpty(made) ? 'nothing-to-forget' : 'condensed';
  const attributes: Attributes = {
    [names.condensationOutcome]: outcome,
    [names.condensationId]: made.id,
    [names.tokensBefore]: before,
    [names.tokensAfter]: after,
    [names.savedTokens]: before - after,
    [names.forgotten]: forgottenEventIds.length,
    [names.masked]: redactions.length,
    [names.summarized]: summary !== undefined,
    [names.condensationCost]: cost,
    ...(background === true ? { [names.background]: true } : {}),
  };
  // Words, such as `events, tokens`. A sentence could quote what was said.
  if (typeof reason === 'string' && words.test(reason)) attributes[names.reason] = reason;
  span?.setAttributes(attributes);
  return { condenser: about.condenser, outcome, savedTokens: before - after, costUsd: cost };
}

const words = /^[a-z][a-z0-9-]{0,31}(, [a-z][a-z0-9-]{0,31}){0,7}$/;

function recordView(condensation: CondensationSpan, lastAttempt: string | undefined): void {
  const span = condensation.begun();
  const inBackground = condensation.openCalls > 0;
  span?.setAttribute(names.condensationOutcome, inBackground ? 'in-background' : 'unchanged');
  const hasFailed = lastAttempt === 'failed' || lastAttempt?.startsWith('refused-') === true;
  if (span !== undefined && hasFailed && !inBackground) recordError(span, `condensation-${lastAttempt}`);
}

/** Records the work that was begun in the background, and links its result to the place where it began. */
function recordBackground(
  condensation: CondensationSpan,
  result: View | Condensation,
  conversationId: string,
  background: BackgroundCondensations,
): void {
  const span = condensation.exists ? condensation.begun() : undefined;
  if (span === undefined) return;
  if (!isCondensation(result)) {
    if (condensation.openCalls > 0) background.begin(conversationId, span.spanContext());
    return;
  }
  const begun = result.metadata?.['background'] === true ? background.taken(conversationId) : undefined;
  if (begun !== undefined) span.addLink({ context: begun });
}

function numberOr(value: unknown, otherwise: () => number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise();
}
