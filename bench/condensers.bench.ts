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

/** Each condenser, set so that there is nothing to do. */
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

/** Each condenser that asks no model, set so that it acts on half of so many events. */
const acting: Readonly<Record<string, (length: number) => Condenser>> = {
  recentEvents: (length) => recentEventsCondenser({ maxEvents: Math.floor(length / 2) }),
  observationMasking: () => observationMaskingCondenser({ attentionWindow: 24, minSavedTokens: 1 }),
  amortizedForgetting: (length) => amortizedForgettingCondenser({ maxSize: length - 1 }),
  extractiveSummary: (length) => extractiveSummaryCondenser({ maxSize: length - 1 }),
  'extractiveSummary, 60 events': () => extractiveSummaryCondenser({ maxSize: 120 }),
};

const lengths = [1_000, 10_000, 100_000];
const actingLengths = [1_000, 10_000, 40_000];
const [rounds, warmUps] = [200, 30];

/** A decision for "no", one step after the last: flat in the length of the history. */
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

/** A decision for "yes" that asks no model: linear in what it touches. */
export async function actingBench(): Promise<void> {
  console.log('\nA decision for "yes" without a model, on half of the events. Unit: ms');
  console.log(row('', ['1 k p50', '10 k p50', '10 k p99', '40 k p50', '40 k / 10 k']));
  for (const [name, create] of Object.entries(acting)) {
    const cells: string[] = [];
    const medians: number[] = [];
    for (const length of name.includes('60 events') ? [120] : actingLengths) {
      const times = await timesOf(create(length), length, true, length > 10_000 ? 20 : rounds);
      medians.push(at(times, 0.5));
      cells.push(at(times, 0.5).toFixed(2));
      if (length === 10_000 || length === 120) cells.push(at(times, 0.99).toFixed(2));
    }
    if (medians.length === 3) cells.push(`${((medians[2] ?? NaN) / (medians[1] ?? NaN)).toFixed(1)}×`);
    else cells.unshift('');
    console.log(row(name, cells));
  }
}

/** How long each decision took, sorted. Unit: milliseconds. */
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
