import type { Evidence, EvidenceKind } from './evidence.js';
import { callsOfResidence } from './money.js';
import type { Fault } from './money.js';
import type { RecordedSession } from './recorded-session.js';
import type { Meter } from './replayed-call.js';
import { isRedacted, isShownWhole, shownIn } from './shown.js';
import type { TextCounter } from './tokens.js';

/** A share as its parts, so that shares of several sessions can be pooled: each call's evidence weighs 1 in all. */
export interface Share {
  readonly part: number;
  readonly whole: number;
}

/** The part of the evidence of later calls that stood in the view at that time. */
export interface Memory {
  readonly all: Share;
  readonly byKind: Readonly<Record<EvidenceKind, Share>>;
  /** By distance from the newest source; the keys are the least distances. Unit: model calls. */
  readonly byDistance: Readonly<Record<string, Share>>;
  /** Seen only in stubs and summaries; part of `all`. */
  readonly onlyInStubs: Share;
  readonly faults: readonly Fault[];
}

const kinds: readonly EvidenceKind[] = ['identifier', 'anchor', 'number'];
const distances = [2, 5, 10, 25, 50, 100] as const;

class RunningShare {
  part = 0;
  whole = 0;
  add(weight: number, isPart: boolean): void {
    this.whole += weight;
    if (isPart) this.part += weight;
  }
}

/** Measures what the views of a session show of the evidence of its calls. `faults` grows while it listens. */
export function memoryMeter(
  session: RecordedSession,
  evidence: readonly (readonly Evidence[])[],
  count: TextCounter,
): Meter<Memory> & Pick<Memory, 'faults'> {
  const [all, onlyInStubs] = [new RunningShare(), new RunningShare()];
  const byKind = Object.fromEntries(kinds.map((kind) => [kind, new RunningShare()])) as Record<
    EvidenceKind,
    RunningShare
  >;
  const byDistance = Object.fromEntries(distances.map((least) => [`${least}`, new RunningShare()]));
  const faults: Fault[] = [];
  /** By source: the last call at which a source that was read again is still in view. */
  const residentUntil = new Map<number, number>();

  return {
    faults,
    result: () => ({ all, byKind, byDistance, onlyInStubs, faults }),
    atCall: ({ index: modelCall, view, prompt: { tokens: promptTokens } }) => {
      const used = evidence[modelCall] ?? [];
      if (used.length === 0) return;
      const shown = shownIn(view, session);
      const missing = new Map<number, EvidenceKind[]>();
      for (const each of used) {
        const isWhole = isShownWhole(each, shown);
        const isSeen = isWhole || shown.isInStub(each.text);
        const weight = 1 / used.length;
        all.add(weight, isSeen);
        onlyInStubs.add(weight, isSeen && !isWhole);
        byKind[each.kind].add(1 / used.filter(({ kind }) => kind === each.kind).length, isSeen);
        const least = distances.findLast((distance) => distance <= each.distance) ?? distances[0];
        byDistance[`${least}`]?.add(weight, isSeen);
        const source = each.sources.at(-1);
        if (isSeen || source === undefined || (residentUntil.get(source) ?? -1) >= modelCall) continue;
        missing.set(source, [...(missing.get(source) ?? []), each.kind]);
      }
      for (const [source, missed] of missing) {
        residentUntil.set(source, modelCall + callsOfResidence);
        const sourceTokens = count(session.texts[source] ?? '');
        faults.push({ modelCall, source, promptTokens, sourceTokens, kinds: missed });
      }
    },
  };
}

/**
 * Counts the results that a policy hides before any request has shown them. A result that is new at a call and does not stand in its
 * view as it was logged was never read: a policy that hides it saves what it never paid for, and the recorded agent had read it.
 */
export function unseenResults({ calls, events, kinds, indexOf }: RecordedSession): Meter<number> {
  let unseenInAll = 0;
  return {
    result: () => unseenInAll,
    atCall: ({ index: modelCall, view }) => {
      const [from, end] = [calls[modelCall - 1] ?? 0, calls[modelCall] ?? 0];
      const unseen = new Set<number>();
      for (let index = from; index < end; index++) if (kinds[index] === 'result') unseen.add(index);
      // New events stand at the end of the view.
      for (let at = view.events.length - 1; at >= 0 && unseen.size > 0; at--) {
        const event = view.events.at(at);
        const index = event === undefined ? undefined : indexOf.get(event.id);
        if (event === undefined || index === undefined) continue;
        if (index < from) break;
        if (event === events[index] || !isRedacted(event)) unseen.delete(index);
      }
      unseenInAll += unseen.size;
    },
  };
}
