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
  const wanted: EventId[] = [];
  for (const { start, end } of units) {
    for (let index = start; index < end; index++) {
      const event = view.events.at(index);
      if (event !== undefined && !stays(index)) wanted.push(event.id);
    }
  }
  const ids = forgettableEventIds(view, { ids: wanted });
  if (ids.size === 0) throw nothing(view);
  let savedTokens = 0;
  for (const id of ids) {
    const index = view.indexOf(id) ?? 0;
    savedTokens += view.tokens(index, index + 1);
  }
  assertProgress(view, { events: ids.size, tokens: savedTokens });
  return condensation({
    view,
    ids,
    metadata: { ...accountingOf({ ...account, view, savedTokens }), ...metadata },
    createEvent,
  });
}

function nothing(view: View): NoCondensationAvailableError {
  return new NoCondensationAvailableError(
    `of ${view.events.length} events none before the newest step may be forgotten`,
  );
}
