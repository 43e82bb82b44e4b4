import { createEvent as createDefaultEvent } from '@palimpsest/events';
import type { CreateEvent } from '@palimpsest/events';
import type { SecretMask } from './secret-mask.js';

/**
 * Makes an event factory that hides the values of secrets. Give it to an agent, and none of its events holds one.
 *
 * @param create - the factory of the events. @defaultValue UUIDv7 ids and the system clock
 */
export function maskedEvents(mask: SecretMask, create: CreateEvent = createDefaultEvent): CreateEvent {
  return ((...args: Parameters<CreateEvent>) => mask(create(...args))) as CreateEvent;
}
