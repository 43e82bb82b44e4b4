import type { View } from '@palimpsest/view';

/**
 * The index at which the newest step begins: the last events of the model that stand together and are of one response, and
 * all behind them. Without an event of the model it is the last event.
 */
export function newestStepStart({ events }: View): number {
  let start: number | undefined;
  let response: string | undefined;
  for (let index = events.length - 1; index >= 0; index--) {
    const event = events.at(index);
    const isModels = event?.type === 'action' || (event?.type === 'message' && event.role === 'assistant');
    if (start === undefined ? !isModels : !isModels || event.llmResponseId !== response) {
      if (start === undefined) continue;
      break;
    }
    start = index;
    response = isModels ? event.llmResponseId : undefined;
  }
  return start ?? Math.max(0, events.length - 1);
}
