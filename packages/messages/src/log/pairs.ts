import type { Event, EventId } from '@palimpsest/events';
import { pin, unpin } from '@palimpsest/view';
import type { HostMessage } from '../codecs/codec.js';

type Hosts = readonly HostMessage[];

/** The messages that belong together by a name: requests for approval and their answers, calls of a provider and their results. */
export class Pairs {
  readonly #runs = new Map<EventId, string>();
  /** The run of a name. The answers to what one message asks come one by one, and are in one run. */
  readonly #runOfName = new Map<string, string>();
  /** By name, what waits for an answer. */
  readonly #open = new Map<string, { readonly id: EventId; readonly host: HostMessage }>();

  /** The run of events that an event is kept or forgotten with. */
  runOf(id: EventId): string | undefined {
    return this.#runs.get(id);
  }

  /** @param hosts - the messages from which the event was made */
  join({ id }: Event, hosts: Hosts): void {
    const names = hosts.flatMap(namesOf);
    const [first] = names;
    if (first === undefined) return;
    const run = names.map((name) => this.#runOfName.get(name)).find((known) => known !== undefined) ?? first;
    for (const name of names) this.#runOfName.set(name, run);
    this.#runs.set(id, run);
  }

  /**
   * The events that keep an event in the view while it waits for an answer, and that end this when the answer has come.
   *
   * @param isCutBetween - whether a view can be cut between an earlier event and this one. A run ends at 64 events: what lies further
   *   apart is kept one by one
   */
  protection(event: Event, hosts: Hosts, isCutBetween: (first: EventId) => boolean): readonly Event[] {
    const made: Event[] = [];
    let waits = false;
    for (const host of hosts) {
      for (const name of namesOf(host)) {
        const open = this.#open.get(name);
        if (open === undefined && host.isOpen === true) {
          this.#open.set(name, { id: event.id, host });
          waits = true;
        }
        // A message can be several events.
        if (open === undefined || open.host === host) continue;
        this.#open.delete(name);
        if ([...this.#open.values()].some(({ id }) => id === open.id)) continue;
        if (isCutBetween(open.id)) made.push(pinOf(event, 'it answers what is kept'));
        else made.push({ ...unpin(open.id, { source: 'environment' }), id: `${open.id}-unpin` });
      }
    }
    return waits ? [...made, pinOf(event, 'it waits for an answer')] : made;
  }
}

function namesOf(host: HostMessage): readonly string[] {
  const pair = host.pair ?? [];
  return typeof pair === 'string' ? [pair] : pair;
}

/** Returns the event that keeps an event of a message in the view. Its id follows from the other's. */
export function pinOf(event: Event, reason: string): Event {
  return { ...pin(event.id, { source: 'environment', reason }), id: `${event.id}-pin` };
}
