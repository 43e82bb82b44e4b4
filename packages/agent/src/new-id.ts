import type { CreateEvent } from '@palimpsest/events';

/**
 * A new id from the factory that makes the events: whoever sets that factory sets all ids, so that a run can be repeated. A
 * factory hands out ids on events only, so one is made for its id and dropped.
 */
export function newIdFrom(createEvent: CreateEvent): string {
  return createEvent('pause', {}).id;
}
