import { isToolResult } from '@palimpsest/events';
import type { View } from '@palimpsest/view';

/**
 * The index of the first event of each message, where others count messages: a response of the model is one, whatever it calls.
 * The system prompt is none.
 *
 * @param results - `each`: the result of each call is a message; `together`: the results of a response are one
 */
export function messageStarts(view: View, results: 'each' | 'together'): readonly number[] {
  const starts: number[] = [];
  let isBehindResult = false;
  for (const [index, event] of [...view.events].entries()) {
    const isResult = isToolResult(event);
    const response = view.responseOf(event.id);
    const goesOn =
      response === undefined ? isResult && isBehindResult && results === 'together' : response !== event.id;
    if (event.type !== 'system-prompt' && !goesOn) starts.push(index);
    isBehindResult = isResult;
  }
  return starts;
}
