import {
  amortizedForgettingCondenser,
  browserOutputCondenser,
  conversationWindowCondenser,
  extractiveSummaryCondenser,
  llmAttentionCondenser,
  llmSummarizingCondenser,
  observationMaskingCondenser,
  pipelineCondenser,
  recentEventsCondenser,
  slidingWindowCondenser,
  structuredSummaryCondenser,
} from '@palimpsest/condensers';
import { createEvent } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import { isCondensation, ViewProjection } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { ordinaryLog } from './logs.js';

const llm: LLM = {
  model: 'never-asked',
  complete: () => Promise.reject(new Error('a decision that needs no model asked one')),
};
const never = 1_000_000_000;

/** Every condenser, with options under which it has nothing to do. */
const idle: Readonly<Record<string, () => Condenser>> = {
  observationMasking: () => observationMaskingCondenser({ attentionWindow: 24, minSavedTokens: never }),
  browserOutput: () => browserOutputCondenser(),
  amortizedForgetting: () => amortizedForgettingCondenser({ maxSize: never }),
  conversationWindow: () => conversationWindowCondenser(),
  extractiveSummary: () => extractiveSummaryCondenser({ maxSize: never }),
  llmSummarizing: () => llmSummarizingCondenser({ llm, maxSize: never }),
  'llmSummarizing, background': () => llmSummarizingCondenser({ llm, maxSize: never, background: true }),
  structuredSummary: () => structuredSummaryCondenser({ llm, maxSize: never }),
  llmAttention: () => llmAttentionCondenser({ llm, maxSize: never }),
  'slidingWindow, interval': () => slidingWindowCondenser({ llm, compactionInterval: never, overlapSize: 0 }),
  'slidingWindow, tokens': () => slidingWindowCondenser({ llm, tokenThreshold: never, eventRetentionSize: 9 }),
  pipeline: () =>
    pipelineCondenser([
      observationMaskingCondenser({ minSavedTokens: never }),
      extractiveSummaryCondenser({ maxSize: never }),
    ]),
};

/** Every condenser that calls no model, with default options. */
const steady: Readonly<Record<string, () => Condenser>> = {
  recentEvents: () => recentEventsCondenser(),
  observationMasking: () => observationMaskingCondenser(),
  'observationMasking, rolling': () => observationMaskingCondenser({ rewritesEveryStep: true }),
  amortizedForgetting: () => amortizedForgettingCondenser(),
  conversationWindow: () => conversationWindowCondenser(),
  extractiveSummary: () => extractiveSummaryCondenser(),
  pipeline: () => pipelineCondenser([observationMaskingCondenser(), extractiveSummaryCondenser()]),
};

/** Every condenser that calls no model, with options under which it acts on half of the given number of events. */
const acting: Readonly<Record<string, (length: number) => Condenser>> = {
  recentEvents: (length) => recentEventsCondenser({ maxSize: Math.floor(length / 2) }),
  observationMasking: () => observationMaskingCondenser({ attentionWindow: 24, minSavedTokens: 1 }),
  'observationMasking, rolling': () => observationMaskingCondenser({ rewritesEveryStep: true }),
  conversationWindow: () => conversationWindowCondenser(),
  amortizedForgetting: (length) => amortizedForgettingCondenser({ maxSize: length - 1 }),
  extractiveSummary: (length) => extractiveSummaryCondenser({ maxSize: length - 1 }),
};

const lengths = [1_000, 10_000, 100_000];
const actingLengths = [1_000, 10_000, 40_000];
const [rounds, warmUps] = [200, 30];

/** A decision not to condense, one step after the previous one. The time should not grow with the history. */
export async function idleBench(): Promise<void> {
  console.log('\nA decision for "no" after one more step of two events, with its fold and its view. Unit: µs, median');
  console.log(row('', [...lengths.map((length) => `${length / 1_000} k events`), '100 k / 1 k']));
  for (const [name, create] of Object.entries(idle)) {
    const medians: number[] = [];
    for (const length of lengths) {
      const times = await timesOf(create(), length, false);
      medians.push(at(times, 0.5) * 1_000);
    }
    const [first = NaN, last = NaN] = [medians[0], medians.at(-1)];
    console.log(row(name, [...medians.map((time) => time.toFixed(1)), `${(last / first).toFixed(2)}×`]));
  }
}

/** Every decision to condense in a run of 10,000 events. */
export async function steadyBench(): Promise<void> {
  console.log('\nEvery decision for "yes" while 10,000 events are appended, at the defaults. Unit: ms');
  console.log(row('', ['decisions', 'p50', 'p99', 'longest']));
  for (const [name, create] of Object.entries(steady)) {
    // Condensers that act at every step are warm after less than a hundredth of their decisions.
    for (let run = 0; run < 3 && create().rewritesEveryStep !== true; run++) await timesOfRun(create());
    const times = await timesOfRun(create());
    const cells = [at(times, 0.5), at(times, 0.99), times.at(-1) ?? NaN].map((time) => time.toFixed(2));
    console.log(row(name, [String(times.length), ...cells]));
  }
}

/** The durations of all decisions to condense in a run, sorted. Unit: milliseconds. */
async function timesOfRun(condenser: Condenser): Promise<readonly number[]> {
  const projection = new ViewProjection();
  const asksItself = condenser.name !== 'conversationWindow';
  const times: number[] = [];
  for (const [index, event] of ordinaryLog(10_000, 1_000).entries()) {
    projection.append(event);
    if (!asksItself && index % 100 === 99) projection.append(createEvent('condensation-request', {}));
    const { view } = projection;
    const start = performance.now();
    const result = await condenser.condense(view, { report: () => {} });
    const time = performance.now() - start;
    if (result === view) continue;
    times.push(time);
    if (isCondensation(result)) projection.append(result);
  }
  return times.sort((a, b) => a - b);
}

/** A decision to condense without a model call. The time should be linear in the number of affected events. */
export async function actingBench(): Promise<void> {
  console.log('\nA decision for "yes" without a model, on half of the events. Unit: ms');
  console.log(row('', ['1 k p50', '10 k p50', '10 k p99', '40 k p50', '40 k / 10 k']));
  for (const [name, create] of Object.entries(acting)) {
    const cells: string[] = [];
    const medians: number[] = [];
    for (const length of actingLengths) {
      const times = await timesOf(create(length), length, true, length > 10_000 ? 20 : rounds);
      medians.push(at(times, 0.5));
      cells.push(at(times, 0.5).toFixed(2));
      if (length === 10_000) cells.push(at(times, 0.99).toFixed(2));
    }
    cells.push(`${((medians[2] ?? NaN) / (medians[1] ?? NaN)).toFixed(1)}×`);
    console.log(row(name, cells));
  }
}

/** The durations of all decisions, sorted. Unit: milliseconds. */
async function timesOf(
  condenser: Condenser,
  length: number,
  acts: boolean,
  count = rounds,
): Promise<readonly number[]> {
  const log = ordinaryLog(length + 2 * (count + warmUps) + 2, acts ? 1_000 : 200);
  const projection = new ViewProjection();
  let next = 0;
  for (; next < length; next++) projection.append(log[next] as Event);
  const times: number[] = [];
  for (let round = 0; round < count + warmUps; round++) {
    if (round % 50 === 0) globalThis.gc?.();
    const start = performance.now();
    if (!acts || round === 0) {
      projection.append(log[next++] as Event);
      projection.append(log[next++] as Event);
      if (acts && condenser.name === 'conversationWindow') projection.append(createEvent('condensation-request', {}));
    }
    const { view } = projection;
    const result = await condenser.condense(view, { report: () => {} });
    const time = performance.now() - start;
    if (round >= warmUps) times.push(time);
    if (acts !== (isCondensation(result) || result !== view)) throw new Error(`${condenser.name} decided otherwise`);
  }
  return times.sort((a, b) => a - b);
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

function row(name: string, cells: readonly string[]): string {
  return `  ${name.padEnd(30)}${cells.map((cell) => cell.padStart(14)).join('')}`;
}
