import type { LLMConvertibleEvent } from '@palimpsest/events';

/**
 * Returns the key of the run that an event belongs to, or undefined. Events with the same key belong together, with all events
 * between them: an approval and the approved call, or items that a provider accepts only together. A property is pure: the same
 * event has the same key each time and in every process. It is called once for each event, with the event as logged.
 *
 * A run goes from the first event with its key to the last one in the stored list, and ends after {@link longestRun} events:
 * the same key then begins another run. A view is never cut inside a run, with one exception: if overlapping runs and batches
 * leave no cut point for {@link longestRun} events, the next index between two batches is a cut point.
 *
 * @example
 * ```ts
 * const approvals: ViewProperty = (event) => (event.type === 'message' ? event.sender?.match(/^approval\/(.+)$/)?.[1] : undefined);
 * const projection = new ViewProjection({ properties: [approvals] });
 * ```
 */
export type ViewProperty = (event: LLMConvertibleEvent) => string | undefined;

/** The maximum length of a run, so that a run that never ends does not block condensation for ever. Unit: events. */
export const longestRun = 64;
