import { argumentParts, newText } from './evidence.js';
import { plainLines } from './hard-edits.js';
import type { Share } from './memory.js';
import { callsOfResults } from './recorded-session.js';
import type { RecordedSession } from './recorded-session.js';
import type { Meter } from './replayed-call.js';
import { shownIn } from './shown.js';

/** Shorter lines stand in many results. Unit: characters. */
const shortestLine = 15;
const fewestLines = 3;
const leastShare = 0.5;

/**
 * Measures how many of the recorded results look like re-reads, as the ledger of `priced` knows them by their content: at least half of the
 * different lines, three at least, stood in a hidden result and stand nowhere in the view. The recorded agent had lost nothing, so whatever
 * looks like one is none. Results of calls that write never count.
 */
export function falseRereadMeter(session: RecordedSession): Meter<Share> {
  const { events, kinds, texts, stepOf } = session;
  const callOf = callsOfResults(session);
  const linesOf = events.map((_, index) => (kinds[index] === 'internal' ? [] : longLines(texts[index] ?? '')));
  const holders = new Map<string, number[]>();
  linesOf.forEach((lines, index) => {
    for (const line of lines) {
      const places = holders.get(line);
      if (places === undefined) holders.set(line, [index]);
      else places.push(index);
    }
  });
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
      const returns = (line: string): boolean => {
        const places = (holders.get(line) ?? []).filter((place) => (stepOf[place] ?? 0) < modelCall);
        const wasResult = places.some((place) => kinds[place] === 'result');
        return wasResult && !places.some(shown.isWhole) && !shown.stubText().includes(line);
      };
      const isReread = (result: number): boolean => {
        const lines = linesOf[result] ?? [];
        const again = lines.filter(returns).length;
        return again >= fewestLines && again >= leastShare * lines.length;
      };
      if (results.some(isReread)) share.part++;
    },
  };
}

/** Returns the different lines of a text that say something. */
function longLines(text: string): readonly string[] {
  const lines = plainLines(text).split('\n');
  return [...new Set(lines.filter((line) => line.length >= shortestLine))];
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
