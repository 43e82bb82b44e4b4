import type { Condensation, CreateEvent, EventId } from '@palimpsest/events';
import { condensation, NoCondensationAvailableError } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import { accountingOf } from './accounting.js';
import type { Account } from './accounting.js';
import { assertProgress } from './progress.js';
import type { Unit } from './units.js';

/** What {@link forgetUnits} forgets, and what it notes of it. */
export interface ForgetUnitsOptions {
  readonly view: View;
  /** Units of the view, in order, which need not stand together. */
  readonly units: readonly Unit[];
  /** Events that stay, besides the protected ones. Words only: a call without its result cannot stay. @defaultValue none */
  readonly stays?: (index: number) => boolean;
  readonly account: Omit<Account, 'view' | 'savedTokens'>;
  /** More for the metadata. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly createEvent: CreateEvent | undefined;
}

/**
 * A condensation without a summary that forgets units, wherever they stand, but for the protected events in them.
 *
 * @throws {@link NoCondensationAvailableError} when that leaves nothing to forget, or so little that it is not worth it while
 *   nobody asked: what is pinned may be most of a range.
 */
export function forgetUnits(options: ForgetUnitsOptions): Condensation {
  const { view, units, stays = () => false, account, metadata, createEvent } = options;
  const [first, last] = [units[0], units.at(-1)];
  if (first === undefined || last === undefined) throw nothing(view);
  const wanted = new Map<EventId, number>();
  for (const { start, end } of units) {
    for (let index = start; index < end; index++) {
      const event = view.events.at(index);
      if (event !== undefined && !stays(index)) wanted.set(event.id, view.tokens(index, index + 1));
    }
  }
  // It leaves out what is protected, and what the stored view cannot part with; without a summary, no place depends on what is
  // then taken back.
  const whole = condensation({
    view,
    start: first.start,
    end: last.end,
    ...(createEvent === undefined ? {} : { createEvent }),
  });
  const forgottenEventIds: EventId[] = [];
  let savedTokens = 0;
  for (const id of whole.forgottenEventIds) {
    const tokens = wanted.get(id);
    if (tokens === undefined) continue;
    forgottenEventIds.push(id);
    savedTokens += tokens;
  }
  if (forgottenEventIds.length === 0) throw nothing(view);
  assertProgress(view, { events: forgottenEventIds.length, tokens: savedTokens });
  return Object.freeze({
    ...whole,
    forgottenEventIds: Object.freeze(forgottenEventIds),
    metadata: Object.freeze({ ...accountingOf({ ...account, view, savedTokens }), ...metadata }),
  });
}

function nothing(view: View): NoCondensationAvailableError {
  return new NoCondensationAvailableError(
    `of ${view.events.length} events none before the newest step may be forgotten`,
  );
}
