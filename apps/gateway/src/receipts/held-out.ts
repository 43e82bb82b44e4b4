import { costOf } from '@palimpsest/llm-adapters';
import type { Receipt } from './receipt.js';

/** The saving, as sessions that passed unchanged tell it of the others. */
export interface HeldOut {
  /** The sessions that were drawn, and have a known cost. */
  readonly sessions: number;
  readonly heldOut: number;
  /**
   * The share by which a typical session is cheaper than a held-out one, with its 95 % interval: 0.25 is a quarter, negative is dearer.
   * @defaultValue fewer than five sessions on one side, or all cost the same
   */
  readonly saving?: { readonly mean: number; readonly low: number; readonly high: number };
  /** True if the interval lies on one side of zero. */
  readonly isKnown: boolean;
  /** The sessions in all, with the same share held out, that show a saving of a quarter in four of five cases. @defaultValue as `saving` */
  readonly sessionsNeeded?: number;
}

/** Fewer sessions on one side tell nothing of their spread. */
const fewest = 5;

/** A variance of logarithms that is smaller is the rounding of sums. */
const rounding = 1e-12;

/** Normal quantiles of 97.5 % and of 80 %. */
const [level, power] = [1.96, 0.8416];

/** Returns what the held-out sessions tell. Undefined if none was drawn. Sessions that were drawn in their midst are left out. */
export function heldOutOf(receipts: readonly Receipt[]): HeldOut | undefined {
  const sessions = sessionsOf(receipts);
  if (!receipts.some(({ holdOut }) => holdOut !== undefined)) return undefined;
  const logs = sessions.flatMap(({ isHeldOut, usd }) =>
    usd === undefined || usd <= 0 ? [] : [{ isHeldOut, log: Math.log(usd) }],
  );
  const [out, others] = [true, false].map((side) =>
    spreadOf(logs.filter(({ isHeldOut }) => isHeldOut === side).map(({ log }) => log)),
  ) as [Spread, Spread];
  const counts = { sessions: out.count + others.count, heldOut: out.count };
  if (Math.min(out.count, others.count) < fewest || out.variance + others.variance < rounding)
    return { ...counts, isKnown: false };
  const difference = others.mean - out.mean;
  const half = halfInterval(out, others);
  const saved = (log: number): number => -Math.expm1(log);
  const saving = { mean: saved(difference), low: saved(difference + half), high: saved(difference - half) };
  return { ...counts, saving, isKnown: saving.low * saving.high > 0, sessionsNeeded: neededFor(0.25, out, others) };
}

interface Session {
  readonly isHeldOut: boolean;
  /** Undefined if the cost of a request is not known. */
  readonly usd: number | undefined;
}

function sessionsOf(receipts: readonly Receipt[]): readonly Session[] {
  const drawn = new Map<string, Session | undefined>();
  /** Conversations with requests from before anything was drawn. */
  const older = new Set(
    receipts.filter(({ holdOut }) => holdOut === undefined).map(({ conversation }) => conversation),
  );
  for (const receipt of receipts) {
    const { holdOut, conversation, status } = receipt;
    if (holdOut === undefined) continue;
    const { session, isHeldOut } = holdOut;
    const before = drawn.has(session) ? drawn.get(session) : { isHeldOut, usd: 0 };
    const isWhole = before?.isHeldOut === isHeldOut && !older.has(conversation);
    const usd = status < 400 ? usdOf(receipt) : 0;
    const sum = before?.usd === undefined || usd === undefined ? undefined : before.usd + usd;
    drawn.set(session, isWhole ? { isHeldOut, usd: sum } : undefined);
  }
  return [...drawn.values()].flatMap((session) => session ?? []);
}

function usdOf({ usage, prices, cacheWrites, isSubscription }: Receipt): number | undefined {
  return isSubscription || usage === undefined || prices === undefined
    ? undefined
    : costOf(usage, prices, { cacheWrites });
}

interface Spread {
  readonly count: number;
  readonly mean: number;
  readonly variance: number;
}

function spreadOf(values: readonly number[]): Spread {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  return { count, mean, variance: values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1) };
}

/** @see Welch, "The generalization of Student's problem when several different population variances are involved" (1947) */
function halfInterval(...sides: readonly [Spread, Spread]): number {
  const [one, other] = sides.map(({ variance, count }) => variance / count) as [number, number];
  const parts = one ** 2 / (sides[0].count - 1) + other ** 2 / (sides[1].count - 1);
  return studentQuantile((one + other) ** 2 / parts) * Math.sqrt(one + other);
}

/** Returns the quantile of 97.5 %. @see Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.7.5: right to 1 % from 4 degrees on */
function studentQuantile(degrees: number): number {
  const z = level;
  return (
    z +
    (z ** 3 + z) / (4 * degrees) +
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2) +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * degrees ** 3)
  );
}

function neededFor(saving: number, out: Spread, others: Spread): number {
  const count = out.count + others.count;
  const share = out.count / count;
  const variance = ((out.count - 1) * out.variance + (others.count - 1) * others.variance) / (count - 2);
  return Math.ceil((((level + power) / Math.log1p(-saving)) ** 2 * variance) / (share * (1 - share)));
}
