import type { Condensation, CreateEvent, EventId } from '@palimpsest/events';
import { condensation, forgettableEventIds, NoCondensationAvailableError } from '@palimpsest/view';
import type { CutPoints, Unit, View } from '@palimpsest/view';
import { accountingOf } from './requirement.js';
import type { Account, Requirement } from './requirement.js';

/** A range of a stored list between two cut points. */
export interface EventRange {
  readonly start: number;
  /** The index after the last event. */
  readonly end: number;
}

/**
 * Selects the middle of a list: the events between the first `keepFirst` and the last `tail`. Both ends move forward to the next
 * cut point. Undefined if the selection is empty or below the minimum.
 *
 * @see LLMSummarizingCondenser of OpenHands' software-agent-sdk at 611629e6 for the arithmetic
 */
export function selectMiddle(options: {
  /** Unit: events. */
  readonly length: number;
  readonly cutPoints: Pick<CutPoints, 'atOrAfter'>;
  /** Unit: events. */
  readonly keepFirst: number;
  /** Unit: events. A negative number selects nothing. */
  readonly tail: number;
  /** The smallest selection. Unit: share of all events. @defaultValue 0.1 */
  readonly minProgress?: number | undefined;
}): EventRange | undefined {
  const { length, cutPoints, keepFirst, tail, minProgress = defaultMinProgress } = options;
  const start = cutPoints.atOrAfter(keepFirst);
  const end = tail < 0 ? undefined : cutPoints.atOrAfter(Math.max(0, length - tail));
  if (start === undefined || end === undefined || end <= start) return undefined;
  return end - start < length * minProgress ? undefined : { start, end };
}

/** Returns the number of newest events that may stay so that `target` remain: the first ones, one summary, and these. Unit: events. */
export function tailForSize(target: number, keepFirst: number): number {
  return target - keepFirst - 1;
}

/**
 * Returns the number of newest events that may stay so that more than `excess` tokens are removed: all events after the shortest run that
 * starts behind the first `keepFirst` and holds more than `excess`. Unit: events.
 */
export function tailForTokens(options: {
  /** Unit: events. */
  readonly length: number;
  /** Unit: events. */
  readonly keepFirst: number;
  /** Unit: tokens. */
  readonly excess: number;
  /** Tokens of the events from one index to another. */
  readonly tokens: (from: number, to: number) => number;
}): number {
  const { length, keepFirst, excess, tokens } = options;
  const behindHead = Math.max(0, length - keepFirst);
  if (behindHead === 0 || excess <= 0) return behindHead;
  let low = 1;
  let high = behindHead;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (tokens(keepFirst, keepFirst + middle) > excess) high = middle;
    else low = middle + 1;
  }
  return behindHead - low;
}

/**
 * Returns the number of newest events that may stay, by the strictest of the reasons: half of `maxSize` for too many events, half of the
 * budget for too many tokens, half of the events for a request. Negative if the first events alone are too many.
 */
export function strictestTail(options: {
  readonly requirement: Pick<Requirement, 'reasons' | 'tokenBudget'>;
  /** Unit: events. */
  readonly length: number;
  /** Unit: events. */
  readonly maxSize: number;
  /** Unit: events. */
  readonly keepFirst: number;
  /** Tokens of the events from one index to another. @defaultValue all of them */
  readonly tokens: (from?: number, to?: number) => number;
}): number {
  const { requirement, length, maxSize, keepFirst, tokens } = options;
  const tails = requirement.reasons.map((reason) => {
    switch (reason) {
      case 'events':
        return tailForSize(Math.floor(maxSize / 2), keepFirst);
      case 'request':
        return tailForSize(Math.floor(length / 2), keepFirst);
      case 'tokens': {
        const excess = tokens() - Math.floor((requirement.tokenBudget ?? 0) / 2);
        return tailForTokens({ length, keepFirst, excess, tokens });
      }
    }
  });
  return Math.min(length, ...tails);
}

/**
 * Returns the number of first events that stay: `keepFirst`, or fewer if a summary is among them. That summary is then replaced like any
 * other, so that there is only one. Costs O(keepFirst).
 */
export function firstSummary(events: View['events'], keepFirst: number): number {
  const first = events.slice(0, keepFirst).findIndex(({ type }) => type === 'condensation-summary');
  return first === -1 ? keepFirst : first;
}

/** The units that {@link forgetUnits} forgets, and their metadata. */
export interface ForgetUnitsOptions {
  readonly view: View;
  /** Units of the view, in order; they need not be contiguous. */
  readonly units: readonly Unit[];
  /** Events that stay besides the protected ones. Only messages: a call without its result cannot stay. @defaultValue none */
  readonly stays?: ((index: number) => boolean) | undefined;
  readonly account: Omit<Account, 'view' | 'savedTokens'>;
  /** Additional metadata. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly createEvent: CreateEvent | undefined;
}

/**
 * Returns a condensation without a summary that forgets units anywhere in the view, except the protected events in them.
 *
 * @throws {@link NoCondensationAvailableError} when nothing is left to forget, or when too little is left without a request:
 *   pinned events may be most of a range.
 */
export function forgetUnits(options: ForgetUnitsOptions): Condensation {
  const { view, units, stays = () => false, account, metadata, createEvent } = options;
  // Whole units are selected as such: naming thousands of ids, twice, took most of the decision.
  const whole: Unit[] = [];
  const parts: EventId[] = [];
  for (const unit of units) {
    if (!holdsOne(unit, stays)) {
      whole.push(unit);
      continue;
    }
    for (let index = unit.start; index < unit.end; index++) {
      const event = view.events.at(index);
      if (event !== undefined && !stays(index)) parts.push(event.id);
    }
  }
  // Frozen, because what is measured here is found again for the condensation.
  const selection = { units: Object.freeze(whole), ids: Object.freeze(parts) };
  const ids = forgettableEventIds(view, selection);
  if (ids.size === 0) throw nothing(view);
  const savedTokens = tokensOf(view, ids);
  assertProgress(view, { events: ids.size, tokens: savedTokens });
  return condensation({
    view,
    ...selection,
    metadata: { ...accountingOf({ ...account, view, savedTokens }), ...metadata },
    createEvent,
  });
}

function holdsOne({ start, end }: Unit, isOne: (index: number) => boolean): boolean {
  for (let index = start; index < end; index++) if (isOne(index)) return true;
  return false;
}

/** Returns the tokens of events, one measurement for each run of neighbours. */
function tokensOf(view: View, ids: Iterable<EventId>): number {
  let tokens = 0;
  let [start, end] = [0, 0];
  for (const id of ids) {
    if (view.events.at(end)?.id === id) {
      end++;
      continue;
    }
    tokens += view.tokens(start, end);
    start = view.indexOf(id) ?? 0;
    end = start + 1;
  }
  return tokens + view.tokens(start, end);
}

function nothing(view: View): NoCondensationAvailableError {
  return new NoCondensationAvailableError(
    `of ${view.events.length} events none before the newest step may be forgotten`,
  );
}

/** A condensation that removes less is only made on request. Unit: share of the view's events or tokens. */
export const defaultMinProgress = 0.1;

/** The amount that a condensation removes. */
export interface Forgotten {
  /** Unit: events. */
  readonly events: number;
  /** Unit: tokens. */
  readonly tokens: number;
}

type Sizes = Pick<View, 'tokens'> & { readonly events: { readonly length: number } };

/**
 * Returns true if a condensation removes enough: a share of the events, or of the tokens, since one long result can be most of a view.
 */
export function isProgress(view: Sizes, gone: Forgotten, least = defaultMinProgress): boolean {
  return gone.events >= view.events.length * least || gone.tokens >= view.tokens() * least;
}

/**
 * Checks that a condensation removes enough.
 *
 * @throws {@link NoCondensationAvailableError} when too little would be removed without a request: pinned events may be most of a
 *   range.
 */
export function assertProgress(view: View, gone: Forgotten): void {
  if (view.unhandledCondensationRequest || isProgress(view, gone)) return;
  throw new NoCondensationAvailableError(
    `only ${gone.events} of ${view.events.length} events and ${gone.tokens} of ${view.tokens()} tokens would go`,
  );
}
