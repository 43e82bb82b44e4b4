import { untilAborted } from '@palimpsest/view';
import type { PendingCondensation } from '@palimpsest/view';
import { maxCondensationsInARow } from '../limits.js';

/** Condensations that were begun in the background, and that no step has taken so far. */
export class PendingCondensations {
  #pending: readonly PendingCondensation[] = [];

  readonly add = (pending: PendingCondensation): void => {
    this.#pending = [...this.#open(), pending];
  };

  /**
   * Waits for each, and calls the condenser, which then gives what still fits the view, and reports what does not.
   *
   * @param condense - calls the condenser once; false: it may not be called now, because a run goes on, which takes what there is
   * @throws the signal's reason; what `condense` throws. What was not taken can be taken later.
   */
  async taken(condense: () => Promise<boolean>, signal?: AbortSignal): Promise<void> {
    // A condenser before it in a pipeline may act first; one that never comes to it would be called for ever.
    for (let calls = 0; calls < maxCondensationsInARow && this.#open().length > 0; calls++) {
      await untilAborted(Promise.all(this.#open().map(({ ready }) => ready)), signal);
      if (this.#open().length > 0 && !(await condense())) return;
    }
    this.#pending = [];
  }

  #open(): readonly PendingCondensation[] {
    return this.#pending.filter((pending) => !pending.isTaken());
  }
}
