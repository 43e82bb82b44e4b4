import type { Event } from '@palimpsest/events';
import type { CondensationDetails, CondensationHistory } from '@palimpsest/view';

/** What the condensations of a log changed. The log is read again when somebody looks, and not before. */
export class LoggedCondensations {
  readonly #events: Event[] = [];
  #history: CondensationHistory | undefined;
  /** So many events the history has. */
  #read = 0;

  append(event: Event): void {
    this.#events.push(event);
  }

  /** Undefined if the log has no such condensation. */
  async details(id: string): Promise<CondensationDetails | undefined> {
    // Loaded by then: the agent needs it, and the first frame does not.
    const { CondensationHistory } = await import('@palimpsest/view');
    const history = (this.#history ??= new CondensationHistory());
    for (const event of this.#events.slice(this.#read)) history.append(event);
    this.#read = this.#events.length;
    return history.details(id);
  }
}
