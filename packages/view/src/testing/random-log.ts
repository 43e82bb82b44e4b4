import type { Event } from '@palimpsest/events';
import { writeAside, writeCondensation, writeRevert, writeTurn } from './clean-steps.js';
import { writeDirtyCondensation, writeRevertOfNothing } from './dirty-condensation.js';
import { dirtySteps } from './dirty-steps.js';
import type { Step } from './dirty-steps.js';
import type { FeatureCounts } from './log-features.js';
import { LogWriter } from './log-writer.js';
import { seededRandom } from './random.js';
import type { Random } from './random.js';

/** Options of {@link randomLog}. */
export interface RandomLogOptions {
  /** The same options always make the same log. */
  readonly seed: number;
  /** The length at which the log ends. A clean log completes its last turn. Unit: events. @defaultValue 60 */
  readonly length?: number | undefined;
  /** True if the log contains events that no agent should write. @defaultValue false */
  readonly dirty?: boolean | undefined;
  /** The prefix of every id, so that two logs can be concatenated. @defaultValue `'e'` */
  readonly idPrefix?: string | undefined;
  /** True if the log contains condensations, redactions and reverts. @defaultValue true */
  readonly decisions?: boolean | undefined;
}

/** A generated log and what is in it. */
export interface RandomLog {
  /** Names kind, seed and length, for messages of failing tests. */
  readonly name: string;
  readonly events: readonly Event[];
  readonly counts: FeatureCounts;
}

type WeightedStep = readonly [weight: number, step: Step];

const cleanSteps: readonly WeightedStep[] = [
  [30, writeTurn],
  [5, writeAside],
];
const cleanDecisions: readonly WeightedStep[] = [
  [2, writeCondensation],
  [0.5, writeRevert],
];
const dirtyDecisions: readonly WeightedStep[] = [
  [4, writeDirtyCondensation],
  [1, writeCondensation],
  [1, writeRevert],
  [0.5, writeRevertOfNothing],
];

/**
 * Generates a random log. A clean log is as an agent writes it: every call is answered, and condensations lie between cut points.
 * A dirty log also contains a random selection of all other possible events, in random numbers. `counts` gives the numbers.
 */
export function randomLog(options: RandomLogOptions): RandomLog {
  const { seed, length = 60, dirty = false, idPrefix = 'e', decisions = true } = options;
  const random = seededRandom(seed * 2 + (dirty ? 1 : 0));
  const log = new LogWriter(random, idPrefix, { halves: dirty && seed % 2 === 1 ? seededRandom(seed) : undefined });
  const steps = dirty
    ? [...someOf(random, dirtySteps), [2, writeTurn] as const, [2, writeAside] as const]
    : [...cleanSteps];
  if (decisions) steps.push(...(dirty ? someOf(random, dirtyDecisions) : cleanDecisions));
  if (dirty && random.chance(0.2)) log.useFewResponseIds(random.pick([1, 1, 3]) ?? 1);
  if (!dirty || random.chance(0.8)) log.add(log.create('system-prompt', { systemPrompt: log.text() }));
  if (!dirty || random.chance(0.8)) log.words('user');
  while (log.length < length) pickStep(random, steps)(log);
  return {
    name: `${dirty ? 'dirty' : 'clean'} log, seed ${seed}, length ${length}`,
    events: log.events,
    counts: log.counts,
  };
}

/** About two thirds of the steps, so that rare combinations of a few steps occur. */
function someOf(random: Random, steps: readonly WeightedStep[]): WeightedStep[] {
  return steps.filter(([weight]) => weight >= 8 || random.chance(0.65));
}

function pickStep(random: Random, steps: readonly WeightedStep[]): Step {
  const total = steps.reduce((sum, [weight]) => sum + weight, 0);
  let left = (random.below(1_000_000) / 1_000_000) * total;
  for (const [weight, step] of steps) {
    left -= weight;
    if (left < 0) return step;
  }
  return writeTurn;
}
