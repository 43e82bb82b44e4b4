import type { EventId } from '@palimpsest/events';
import type { AttemptReport, CondenseContext, View } from '@palimpsest/view';
import * as z from 'zod/mini';

const reported = z.object({ directiveIds: z.array(z.string()) });

/**
 * A `report` that reports each outcome of a directive once: it leaves out directives for which the log already holds that outcome,
 * and reports nothing if none is left. Hosts and pipelines may rename the attempt, so only outcome and directives are compared.
 */
export function reportOnce(
  view: View,
  context: CondenseContext,
): (attempt: AttemptReport, directiveIds: readonly EventId[]) => void {
  const known = new Set<string>();
  for (const event of view.internalEvents) {
    if (event.type !== 'condensation-attempt' || !event.outcome.startsWith('relevance-')) continue;
    for (const id of reported.safeParse(event.data).data?.directiveIds ?? []) known.add(`${event.outcome} ${id}`);
  }
  return (attempt, ids) => {
    const directiveIds = ids.filter((id) => !known.has(`${attempt.outcome} ${id}`));
    if (directiveIds.length > 0) context.report?.({ ...attempt, data: { ...attempt.data, directiveIds } });
  };
}
