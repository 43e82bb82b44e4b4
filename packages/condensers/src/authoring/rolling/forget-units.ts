import type { Condensation, CreateEvent, EventId } from '@palimpsest/events';
import { condensation, forgettableEventIds, NoCondensationAvailableError } from '@palimpsest/view';
import type { Unit, View } from '@palimpsest/view';
import { accountingOf } from './accounting.js';
import type { Account } from './accounting.js';
import { assertProgress } from './progress.js';

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
 * A condensation without a summary that forgets units anywhere in the view, except the protected events in them.
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

/** The tokens of events, one measurement for each run of neighbours. */
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
