import type { Evidence } from './evidence.js';
import type { RecordedSession } from './recorded-session.js';

/** A point of a curve: the share of raw tokens that a policy keeps, and the share of the evidence that it shows. */
export interface ControlPoint {
  readonly share: number;
  /** The part of `share` that a prompt cache would serve: everything before the first event that left since the call before. */
  readonly cached: number;
  readonly recall: number;
}

/** Recall against size of the two controls: the newest events that fit, and those that are needed next. */
export interface Controls {
  readonly lastN: readonly ControlPoint[];
  /** Knows the future: evicts what is needed last. */
  readonly belady: readonly ControlPoint[];
}

const shares = [0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.85];

/**
 * Measures both controls at several sizes. They keep whole events; instructions and the first message of the user stay, and so do
 * the newest two steps. Evicted events do not come back.
 *
 * @param tokens - by event
 * @param head - what every request holds besides events. Unit: tokens.
 */
export function controlsOf(
  session: RecordedSession,
  evidence: readonly (readonly Evidence[])[],
  tokens: readonly number[],
  head: number,
): Controls {
  const { calls, kinds } = session;
  const fixed = new Set([kinds.indexOf('user'), kinds.indexOf('system')].filter((index) => index >= 0));
  const fixedTokens = [...fixed].reduce((sum, index) => sum + (tokens[index] ?? 0), 0);
  const promptSizes: number[] = [];
  let [size, folded] = [head, 0];
  for (const end of calls) {
    for (; folded < end; folded++) size += tokens[folded] ?? 0;
    promptSizes.push(size);
  }
  const raw = promptSizes.reduce((sum, each) => sum + each, 0);
  const trial: Trial = { session, evidence, tokens, fixed };
  const curve = (keep: (trial: Trial, budget: number) => Kept): readonly ControlPoint[] =>
    shares.map((share) => {
      const budget = capOf(share * raw, promptSizes) - head - fixedTokens;
      const kept = keep(trial, budget);
      const always = head + fixedTokens;
      return {
        share: (kept.tokens + calls.length * always) / raw,
        cached: (kept.cached + Math.max(0, calls.length - 1) * always) / raw,
        recall: kept.recall,
      };
    });
  return { lastN: curve(keepNewest), belady: curve(keepNeeded) };
}

/** Returns the recall of a control at a share, linear between its points, to the origin below them and to (1, 1) above them. */
export function recallAt(curve: readonly Pick<ControlPoint, 'share' | 'recall'>[], share: number): number {
  const points = [...curve].sort((one, other) => one.share - other.share);
  const above = points.findIndex((point) => point.share >= share);
  const [low, high] =
    above === -1
      ? [points.at(-1) ?? { share: 0, recall: 0 }, { share: 1, recall: 1 }]
      : [points[above - 1] ?? { share: 0, recall: 0 }, points[above] ?? { share: 1, recall: 1 }];
  if (high.share === low.share) return high.recall;
  const along = Math.min(1, (share - low.share) / (high.share - low.share));
  return low.recall + (high.recall - low.recall) * along;
}

interface Trial {
  readonly session: RecordedSession;
  readonly evidence: readonly (readonly Evidence[])[];
  readonly tokens: readonly number[];
  readonly fixed: ReadonlySet<number>;
}

interface Kept {
  /** Summed over the calls, without what is fixed. */
  readonly tokens: number;
  /** Of `tokens`. */
  readonly cached: number;
  readonly recall: number;
}

/** Returns the constant cap at which the prompts hold so many tokens in all. */
function capOf(total: number, promptSizes: readonly number[]): number {
  const sorted = [...promptSizes].sort((one, other) => one - other);
  let below = 0;
  for (const [index, size] of sorted.entries()) {
    const others = sorted.length - index;
    if (below + size * others >= total) return (total - below) / others;
    below += size;
  }
  return sorted.at(-1) ?? 0;
}

function keepNewest({ session, evidence, tokens, fixed }: Trial, budget: number): Kept {
  const recall = runningRecall(evidence);
  let [total, cached, firstBefore, sizeBefore] = [0, 0, 0, 0];
  session.calls.forEach((end, call) => {
    let [room, kept] = [budget, 0];
    let first = end;
    for (; first > 0; first--) {
      const index = first - 1;
      if (fixed.has(index)) continue;
      const size = tokens[index] ?? 0;
      if (size > room && (session.stepOf[index] ?? 0) < call - 1) break;
      room -= size;
      kept += size;
    }
    total += kept;
    if (first === firstBefore) cached += sizeBefore;
    [firstBefore, sizeBefore] = [first, kept];
    recall.atCall(call, (index) => (index >= first && index < end) || (fixed.has(index) && index < end));
  });
  return { tokens: total, cached, recall: recall.value };
}

function keepNeeded({ session, evidence, tokens, fixed }: Trial, budget: number): Kept {
  const recall = runningRecall(evidence);
  const uses = usesOf(evidence);
  const held = new Set<number>();
  let [used, folded, total, cached] = [0, 0, 0, 0];
  session.calls.forEach((end, call) => {
    const [usedBefore, endBefore] = [used, folded];
    for (; folded < end; folded++) {
      const size = tokens[folded] ?? 0;
      if (size === 0 || fixed.has(folded)) continue;
      held.add(folded);
      used += size;
    }
    let firstEvicted = Infinity;
    if (used > budget) {
      const old = [...held].filter((index) => (session.stepOf[index] ?? 0) < call - 1);
      const nextUse = new Map(old.map((index) => [index, uses.get(index)?.find((use) => use >= call) ?? Infinity]));
      const needed = (index: number): number => nextUse.get(index) ?? Infinity;
      // What is needed last goes first; of what is never needed again, the oldest.
      old.sort((one, other) => (needed(one) === needed(other) ? one - other : needed(other) > needed(one) ? 1 : -1));
      for (const index of old) {
        if (used <= budget) break;
        held.delete(index);
        firstEvicted = Math.min(firstEvicted, index);
        used -= tokens[index] ?? 0;
      }
    }
    total += used;
    if (firstEvicted >= endBefore) cached += usedBefore;
    else for (const index of held) if (index < firstEvicted) cached += tokens[index] ?? 0;
    recall.atCall(call, (index) => held.has(index) || fixed.has(index));
  });
  return { tokens: total, cached, recall: recall.value };
}

/** Returns by event the calls at which it is the newest source of evidence, in their order. */
function usesOf(evidence: readonly (readonly Evidence[])[]): ReadonlyMap<number, readonly number[]> {
  const uses = new Map<number, number[]>();
  evidence.forEach((used, call) => {
    for (const { sources } of used) {
      const newest = sources.at(-1) ?? 0;
      const calls = uses.get(newest) ?? [];
      if (calls.at(-1) !== call) calls.push(call);
      uses.set(newest, calls);
    }
  });
  return uses;
}

function runningRecall(evidence: readonly (readonly Evidence[])[]) {
  let [seen, all] = [0, 0];
  return {
    atCall: (call: number, isVisible: (index: number) => boolean): void => {
      const used = evidence[call] ?? [];
      for (const { sources, mentions } of used) {
        all += 1 / used.length;
        if (sources.some(isVisible) || mentions.some(isVisible)) seen += 1 / used.length;
      }
    },
    get value(): number {
      return all === 0 ? 1 : seen / all;
    },
  };
}
