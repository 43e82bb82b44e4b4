import { argumentParts, newText } from './evidence.js';
import { fewestLines, isLineShown, isMostOf, lineIndex } from './lines.js';
import type { Share } from './memory.js';
import { callsOfResults } from './recorded-session.js';
import type { RecordedSession } from './recorded-session.js';
import type { Meter } from './replayed-call.js';
import { shownIn } from './shown.js';

/**
 * Measures how many of the recorded results look like re-reads, as the ledger of `priced` knows them by their content: at least half of the
 * different lines, three at least, stood in a hidden result and stand in the view at most as excerpts, and three of them nowhere. The
 * recorded agent had lost nothing, so whatever looks like one is none. Results of calls that write never count.
 */
export function falseRereadMeter(session: RecordedSession): Meter<Share> {
  const { events, kinds, stepOf } = session;
  const callOf = callsOfResults(session);
  const index = lineIndex(session);
  const resultsOf = new Map<number, number[]>();
  for (const [result, call] of callOf) {
    const writer = events[call];
    if (writer?.type !== 'action' || writes(writer.toolCall.arguments)) continue;
    const step = stepOf[call] ?? 0;
    resultsOf.set(step, [...(resultsOf.get(step) ?? []), result]);
  }
  const share = { part: 0, whole: 0 };
  return {
    result: () => share,
    atCall: ({ index: modelCall, view }) => {
      share.whole++;
      const results = resultsOf.get(modelCall) ?? [];
      if (results.length === 0) return;
      const shown = shownIn(view, session);
      const wasResult = (line: string): boolean =>
        index.holding(line).some((place) => kinds[place] === 'result' && (stepOf[place] ?? 0) < modelCall);
      const isReread = (result: number): boolean => {
        const lines = index.linesOf(result);
        const again = lines.filter((line) => wasResult(line) && !index.holding(line).some(shown.isWhole));
        const unseen = again.filter((line) => !isLineShown(line, index, shown));
        return isMostOf(result, again.length, index) && unseen.length >= fewestLines;
      };
      if (results.some(isReread)) share.part++;
    },
  };
}

/** Returns true for the arguments of a call that puts text into a file. */
function writes(json: string): boolean {
  if (argumentParts(json).anchors.length > 0) return true;
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && Object.keys(value).some((key) => newText.has(key));
  } catch {
    return false;
  }
}
