import type { View } from '@palimpsest/view';

/**
 * Where the newest step of a view begins: the first event of the last model response, at a cut point. What stands from there
 * on (its calls, their results, the words that came after) the model has not read yet, or has only just written, so no
 * condenser here takes any of it away. Without a response it is the last event.
 */
export function newestStepStart(view: View): number {
  const { events, cutPoints } = view;
  let start = events.length - 1;
  let response: string | undefined;
  let found = false;
  for (let index = events.length - 1; index >= 0; index--) {
    const event = events.at(index);
    const isAssistant = event?.type === 'action' || (event?.type === 'message' && event.role === 'assistant');
    if (!isAssistant) continue;
    if (found && event.llmResponseId !== response) break;
    if (found && response === undefined) break;
    found = true;
    response = event.llmResponseId;
    start = index;
  }
  return cutPoints.atOrBefore(Math.max(0, start)) ?? 0;
}
