import { createEvent as createDefaultEvent } from '@palimpsest/events';
import type { CreateEvent } from '@palimpsest/events';
import type { SecretMask } from './secret-mask.js';

/**
 * Makes events in which the values are hidden: give it to an agent, and none of its events holds one.
 *
 * @param create - what makes the events. @defaultValue UUIDv7 ids and the system clock
 */
export function maskedEvents(mask: SecretMask, create: CreateEvent = createDefaultEvent): CreateEvent {
  return ((...args: Parameters<CreateEvent>) => mask(create(...args))) as CreateEvent;
}
