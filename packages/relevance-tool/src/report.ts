import type { EventId } from '@palimpsest/events';
import type { CondenseContext, View } from '@palimpsest/view';
import { z } from 'zod';

type Attempt = Parameters<CondenseContext['report']>[0];

const reported = z.object({ directiveIds: z.array(z.string()) });

/**
 * A `report` that tells each outcome of a directive once: it leaves out the directives for which the log holds that outcome
 * already, and says nothing when none is left. Host and pipeline may give the attempt a name of theirs, so only the outcome
 * and the directives count.
 */
export function reportOnce(
  view: View,
  context: CondenseContext,
): (attempt: Attempt, directiveIds: readonly EventId[]) => void {
  const known = new Set<string>();
  for (const event of view.internalEvents) {
    if (event.type !== 'condensation-attempt' || !event.outcome.startsWith('relevance-')) continue;
    for (const id of reported.safeParse(event.data).data?.directiveIds ?? []) known.add(`${event.outcome} ${id}`);
  }
  return (attempt, ids) => {
    const directiveIds = ids.filter((id) => !known.has(`${attempt.outcome} ${id}`));
    if (directiveIds.length > 0) context.report({ ...attempt, data: { ...attempt.data, directiveIds } });
  };
}
