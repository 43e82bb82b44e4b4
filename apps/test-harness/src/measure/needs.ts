import { namesIn } from './evidence.js';
import type { Evidence } from './evidence.js';
import { isLineShown, isMostOf, lineIndex } from './lines.js';
import { callsOfResults, unescaped } from './recorded-session.js';
import type { RecordedSession } from './recorded-session.js';
import type { Meter } from './replayed-call.js';
import { isShownWhole, shownIn } from './shown.js';
import type { Shown } from './shown.js';

/**
 * A model of what a call needs. `evidence` and `quotes`: what its arguments take from old results, by either extractor. `newest`: the newest
 * earlier result of the same call, or of a call that names the same file.
 */
export type NeedName = 'evidence' | 'quotes' | 'newest';

/** Returns the results that a call needs and the view does not show, as indices of the session's events, the oldest first. */
export type Need = (modelCall: number, shown: Shown) => readonly number[];

/** Returns the need of evidence: of each piece that is not in view the newest source that a call gave. */
export function evidenceNeed(session: RecordedSession, evidence: readonly (readonly Evidence[])[]): Need {
  const callOf = callsOfResults(session);
  return (modelCall, shown) => {
    const missing = (evidence[modelCall] ?? []).filter(
      (each) => !isShownWhole(each, shown) && !shown.isInStub(each.text),
    );
    return sorted(missing.map(({ sources }) => sources.findLast((source) => callOf.has(source))));
  };
}

/** Returns the need of a model that looks again at the newest result of whatever it calls, while most of its content is not in view. */
export function newestNeed(session: RecordedSession): Need {
  const index = lineIndex(session);
  const { events, calls, stepOf } = session;
  const resultOf = new Map([...callsOfResults(session)].map(([result, call]) => [call, result]));
  const needed: number[][] = calls.map(() => []);
  const newest = new Map<string, number>();
  const made: { readonly keys: readonly string[]; readonly step: number; readonly result: number | undefined }[] = [];
  let learnt = 0;
  events.forEach((event, at) => {
    if (event.type !== 'action') return;
    const step = stepOf[at] ?? 0;
    // Calls of one response do not know each other's results.
    for (let earlier = made[learnt]; earlier !== undefined && earlier.step < step; earlier = made[++learnt]) {
      for (const key of earlier.keys) if (earlier.result !== undefined) newest.set(key, earlier.result);
    }
    const { name, arguments: text } = event.toolCall;
    const keys = [`${name} ${text}`, ...filesIn(unescaped(text))];
    for (const key of keys) {
      const result = newest.get(key);
      if (result !== undefined) needed[step]?.push(result);
    }
    made.push({ keys, step, result: resultOf.get(at) });
  });
  return (modelCall, shown) => {
    const isMissing = (result: number): boolean => {
      if (shown.isWhole(result)) return false;
      const hidden = index.linesOf(result).filter((line) => !isLineShown(line, index, shown));
      return isMostOf(result, hidden.length, index);
    };
    return sorted((needed[modelCall] ?? []).filter(isMissing));
  };
}

/** Finds the needs of which a call of a replay misses something. */
export function missedNeeds(
  session: RecordedSession,
  needs: ReadonlyMap<NeedName, Need>,
): Meter<ReadonlySet<NeedName>> {
  const missed = new Set<NeedName>();
  return {
    result: () => missed,
    atCall: ({ index, view }) => {
      if (missed.size === needs.size) return;
      const shown = shownIn(view, session);
      for (const [name, need] of needs) if (need(index, shown).length > 0) missed.add(name);
    },
  };
}

/** Returns the paths and file names in a text. */
function filesIn(text: string): readonly string[] {
  return [...namesIn(text)].flatMap(([name, kind]) => (kind === 'path' || kind === 'file' ? [name] : []));
}

function sorted(results: readonly (number | undefined)[]): readonly number[] {
  const known = results.filter((result) => result !== undefined);
  return [...new Set(known)].sort((one, other) => one - other);
}
