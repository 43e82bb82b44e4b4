import { addressOf } from '@palimpsest/events';
import type {
  Condensation,
  CondensationRequest,
  CondensationRevert,
  Event,
  EventId,
  LLMConvertibleEvent,
} from '@palimpsest/events';
import { newestStep } from '../policy/units.js';
import { ViewProjection } from '../view-projection.js';
import type { View, ViewOptions } from '../view.js';

/** An event that a condensation has forgotten. */
export interface ForgottenEvent {
  /** As the model read it until then: an earlier condensation may have masked it. */
  readonly event: LLMConvertibleEvent;
  /** The address with which `recall` gets its text back. */
  readonly address: string;
  /** Unit: tokens, as the view estimates. */
  readonly tokens: number;
}

/** A result, or the arguments of a call, of which the model reads a note. */
export interface MaskedEvent extends ForgottenEvent {
  readonly what: 'result' | 'arguments';
  /** The text that the model reads in its place. */
  readonly note: string;
  /** The size with the note in place. Unit: tokens, as the view estimates. */
  readonly tokensAfter: number;
}

/** The changes of one condensation. Unit of the sizes: tokens, as the view estimates. */
export interface CondensationDetails {
  readonly condensation: Condensation;
  /** The request that it answers, with its author and reason. @defaultValue none: the condenser decided */
  readonly request?: CondensationRequest;
  readonly forgotten: readonly ForgottenEvent[];
  readonly masked: readonly MaskedEvent[];
  /** The size of the summary. @defaultValue none: the condensation has no summary */
  readonly summaryTokens?: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** The size by which each of the next requests is smaller; negative if the condensation made the view larger. */
  readonly savedTokens: number;
  /** The size of the part before the first change: the prompt cache still serves it. */
  readonly untouchedTokens: number;
  /**
   * The size that the next request writes again because of it: all after the first change, a new summary included,
   * without the newest step, which is written in any case.
   */
  readonly rewrittenTokens: number;
  /** Present if it was reverted. */
  readonly revert?: CondensationRevert;
}

interface Entry {
  readonly condensation: Condensation;
  readonly request: CondensationRequest | undefined;
  readonly before: View;
  readonly after: View;
  revert: CondensationRevert | undefined;
}

/**
 * The changes of each condensation of a log, kept while the log grows. Appending costs as much as with a
 * {@link ViewProjection}. {@link CondensationHistory.details} costs one pass over the view of that time. Memory: the stored
 * list of each condensation.
 *
 * @example
 * ```ts
 * const history = new CondensationHistory(log);
 * const { forgotten, savedTokens } = history.details(condensation.id)!;
 * ```
 */
export class CondensationHistory {
  readonly #projection: ViewProjection;
  readonly #entries = new Map<EventId, Entry>();
  #request: CondensationRequest | undefined;

  /** @param log - the events so far. @defaultValue none */
  constructor(log: Iterable<Event> = [], options?: ViewOptions) {
    this.#projection = new ViewProjection(options);
    for (const event of log) this.append(event);
  }

  /** Adds the next event of the log. */
  append(event: Event): void {
    if (event.type === 'condensation-revert') {
      const reverted = this.#entries.get(event.condensationId);
      // A second revert of the same condensation changes nothing.
      if (reverted !== undefined) reverted.revert ??= event;
    }
    if (event.type !== 'condensation') {
      this.#projection.append(event);
      // The first request of several is the one that is answered.
      if (event.type === 'condensation-request') this.#request ??= event;
      return;
    }
    const before = this.#projection.view;
    this.#projection.append(event);
    const request = before.unhandledCondensationRequest ? this.#request : undefined;
    this.#request = undefined;
    // An event whose id is taken is no event of the log.
    if (before.original(event.id) !== undefined) return;
    const after = this.#projection.view;
    this.#entries.set(event.id, { condensation: event, request, before, after, revert: undefined });
  }

  /** The view of all events so far. */
  get view(): View {
    return this.#projection.view;
  }

  /** The condensations of the log in order, those that were reverted included. */
  get condensations(): readonly Condensation[] {
    return [...this.#entries.values()].map(({ condensation }) => condensation);
  }

  /** Returns the changes of a condensation. Undefined if the log has no condensation of this id. */
  details(id: EventId): CondensationDetails | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    const { condensation, request, before, after, revert } = entry;
    const untouched = sameAtStart(before, after);
    const [tokensBefore, tokensAfter] = [before.tokens(), after.tokens()];
    const isUnchanged = untouched === before.events.length && untouched === after.events.length;
    return {
      condensation,
      ...(request === undefined ? {} : { request }),
      forgotten: forgottenBetween(before, after),
      masked: maskedIn(condensation, before, after),
      ...summarySize(condensation, after),
      tokensBefore,
      tokensAfter,
      savedTokens: tokensBefore - tokensAfter,
      untouchedTokens: after.tokens(0, untouched),
      rewrittenTokens: isUnchanged
        ? 0
        : after.tokens(untouched, Math.max(untouched, Math.min(newestStep(after).start, after.events.length))),
      ...(revert === undefined ? {} : { revert }),
    };
  }
}

/** Returns the number of events at the start of two views that are the same. */
function sameAtStart(before: View, after: View): number {
  let same = 0;
  while (same < after.events.length && after.events.at(same) === before.events.at(same)) same++;
  return same;
}

function forgottenBetween(before: View, after: View): readonly ForgottenEvent[] {
  return [...before.events].flatMap(({ id }) => (after.indexOf(id) === undefined ? (sized(before, id) ?? []) : []));
}

function maskedIn({ redactions = [] }: Condensation, before: View, after: View): readonly MaskedEvent[] {
  const ids = [...new Set(redactions.map(({ eventId }) => eventId))];
  return ids.flatMap((id): readonly MaskedEvent[] => {
    const [shown, copy] = [sized(before, id), sized(after, id)];
    const { event } = copy ?? {};
    if (shown === undefined || event === undefined || event === shown.event) return [];
    const redaction = redactions.findLast(({ eventId }) => eventId === id);
    const [what, note] =
      event.type === 'action' ? (['arguments', redaction?.arguments] as const) : (['result', redaction?.text] as const);
    return [{ ...shown, what, note: note ?? '', tokensAfter: copy?.tokens ?? 0 }];
  });
}

function summarySize({ id }: Condensation, after: View): Pick<CondensationDetails, 'summaryTokens'> {
  const summary = [...after.events].find(
    (event) => event.type === 'condensation-summary' && event.condensationId === id,
  );
  return summary === undefined ? {} : { summaryTokens: after.tokensOf(summary) };
}

function sized(view: View, id: EventId): ForgottenEvent | undefined {
  const index = view.indexOf(id);
  const event = index === undefined ? undefined : view.events.at(index);
  if (index === undefined || event === undefined) return undefined;
  return { event, address: recallAddressOf(event), tokens: view.tokens(index, index + 1) };
}

/** A summary is found by the condensation that made it: the log holds no other event of it. */
function recallAddressOf(event: LLMConvertibleEvent): string {
  return addressOf(event.type === 'condensation-summary' ? (event.condensationId ?? event.id) : event.id);
}
