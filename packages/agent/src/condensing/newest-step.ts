import type { View } from '@palimpsest/view';

/**
 * The index at which the newest step begins: the last events of the model that stand together and are of one response, and
 * all behind them. Without an event of the model it is the last event.
 */
export function newestStepStart(view: View): number {
  const { events } = view;
  let start: number | undefined;
  let response: string | undefined;
  for (let index = events.length - 1; index >= 0; index--) {
    const own = view.responseOf(events.at(index)?.id ?? '');
    if (start === undefined && own === undefined) continue;
    if (start !== undefined && own !== response) break;
    start = index;
    response = own;
  }
  return start ?? Math.max(0, events.length - 1);
}
