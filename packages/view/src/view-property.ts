import type { LLMConvertibleEvent } from '@palimpsest/events';

/**
 * Names the run that an event belongs to, or none. Events with the same key belong together, and so does what stands between
 * them: an approval and what was approved, the items of a provider that refuses one without the other. A property is pure: the
 * same event has the same key each time, and in any process. It is called once for each event, as it was logged.
 *
 * A run goes from the first event of its key to the last one in the stored list, and ends at {@link longestRun} events: the same
 * key after that begins another run. A view is never cut inside a run, with one exception: where runs and batches overlap one another
 * for {@link longestRun} events without a cut point, the next index between two batches is one.
 *
 * @example
 * ```ts
 * const approvals: ViewProperty = (event) => (event.type === 'message' ? event.sender?.match(/^approval\/(.+)$/)?.[1] : undefined);
 * const projection = new ViewProjection({ properties: [approvals] });
 * ```
 */
export type ViewProperty = (event: LLMConvertibleEvent) => string | undefined;

/** A run holds no more events together, so that one that never closes holds nothing back for ever. Unit: events. */
export const longestRun = 64;
