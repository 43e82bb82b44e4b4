import type { CreateEvent } from '@palimpsest/events';

/**
 * Makes an id with the host's event factory, so that a host that sets the factory sets all ids and can repeat a run. The
 * factory makes ids only for events, so an event is created and dropped.
 */
export function newIdFrom(createEvent: CreateEvent): string {
  return createEvent('pause', {}).id;
}
