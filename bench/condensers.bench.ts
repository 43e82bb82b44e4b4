import {
  amortizedForgettingCondenser,
  browserOutputCondenser,
  conversationWindowCondenser,
  extractiveSummaryCondenser,
  llmAttentionCondenser,
  llmSummarizingCondenser,
  observationMaskingCondenser,
  pipelineCondenser,
  pricedCondenser,
  recentEventsCondenser,
  slidingWindowCondenser,
  structuredSummaryCondenser,
} from '@palimpsest/condensers';
import { createEvent, parseEvent } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import { isCondensation, ViewProjection } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { ordinaryLog } from './histories.js';
import { cpuClock, stopwatch } from './measure.js';

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
  // Reading is free, so nothing pays.
  'priced, balanced': () => pricedCondenser({ prices: { read: 0, write: 1.25 } }),
  'priced, cheapest': () => pricedCondenser({ preset: 'cheapest', prices: { read: 0, write: 1.25 } }),
  'priced, masks and a manifest': () =>
    pricedCondenser({
      stages: [
        observationMaskingCondenser({ minSavedTokens: never }),
        extractiveSummaryCondenser({ maxSize: never, targetTokens: 20_000 }),
      ],
      prices: { read: 0, write: 1.25 },
    }),
};

/** Every condenser that calls no model, or one that answers at once, with default options. */
const steady: Readonly<Record<string, () => Condenser>> = {
  recentEvents: () => recentEventsCondenser(),
  observationMasking: () => observationMaskingCondenser(),
  'observationMasking, rolling': () => observationMaskingCondenser({ rewritesEveryStep: true }),
  amortizedForgetting: () => amortizedForgettingCondenser(),
  conversationWindow: () => conversationWindowCondenser(),
  extractiveSummary: () => extractiveSummaryCondenser(),
  pipeline: () => pipelineCondenser([observationMaskingCondenser(), extractiveSummaryCondenser()]),
  'llmSummarizing, its prompt': () => llmSummarizingCondenser({ llm: instant('A summary.') }),
};

/** A condenser that acts on about half of a number of events, and its run. */
interface Acting {
  create(length: number): Condenser;
  /** It acts at each step, so the run begins with a history of this length. */
  readonly everyStep?: boolean;
  /** The run appends a request when the view has this length. */
  readonly onRequest?: boolean;
}

/** Every condenser with options under which it acts when the view has the given number of events. */
const acting: Readonly<Record<string, Acting>> = {
  recentEvents: {
    create: (length) => recentEventsCondenser({ maxSize: Math.floor(length / 2) }),
    everyStep: true,
  },
  'observationMasking, rolling': {
    create: () => observationMaskingCondenser({ rewritesEveryStep: true }),
    everyStep: true,
  },
  'observationMasking, 8000 tokens': { create: () => observationMaskingCondenser(), everyStep: true },
  'observationMasking, all': { create: (length) => observationMaskingCondenser({ minSavedTokens: length * 100 }) },
  conversationWindow: { create: () => conversationWindowCondenser(), onRequest: true },
  amortizedForgetting: { create: (length) => amortizedForgettingCondenser({ maxSize: length - 1 }) },
  extractiveSummary: { create: (length) => extractiveSummaryCondenser({ maxSize: length - 1 }) },
  'llmSummarizing, its prompt': {
    create: (length) => llmSummarizingCondenser({ llm: instant('A summary.'), maxSize: length - 1 }),
  },
  'llmAttention, its prompt': {
    create: (length) => llmAttentionCondenser({ llm: instant('{"ids":[10]}'), maxSize: length - 1 }),
  },
};

/** A model that answers at once. */
function instant(text: string): LLM {
  const usage = { uncachedInputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };
  const message = { role: 'assistant', content: [{ type: 'text', text }] } as const;
  return {
    model: 'instant',
    complete: () => Promise.resolve({ message, usage, finishReason: 'stop', model: 'instant' }),
  };
}

/** An ordinary log with events as a log holds them, checked and frozen. */
function eventsOfLog(length: number): readonly Event[] {
  return ordinaryLog(length, 1_000).map(parseEvent);
}

const lengths = [1_000, 10_000, 100_000];
/** The lengths at which condensers act, and the runs of each. */
const actingRuns: readonly (readonly [length: number, runs: number])[] = [
  [1_000, 6],
  [10_000, 6],
  [40_000, 2],
  [100_000, 2],
];
const [rounds, warmUps] = [200, 30];
/** An engine compiles code that runs often: after so many decisions it has. */
const warmDecisions = 400;
/** The least number of decisions that are counted. */
const countedDecisions = 400;

/** A decision not to condense, one step after the previous one. The time should not grow with the history. */
export async function idleBench(only = ''): Promise<void> {
  console.log('\nA decision for "no" after one more step of two events, with its fold and its view. Unit: µs, median');
  console.log(row('', [...lengths.map((length) => `${length / 1_000} k events`), '100 k / 1 k', '10 k p99']));
  for (const [name, create] of Object.entries(idle)) {
    if (!name.includes(only)) continue;
    const medians: number[] = [];
    let p99 = NaN;
    for (const length of lengths) {
      const times = await timesOf(create(), length);
      medians.push(at(times, 0.5) * 1_000);
      if (length === 10_000) p99 = at(times, 0.99) * 1_000;
    }
    const [first = NaN, last = NaN] = [medians[0], medians.at(-1)];
    console.log(
      row(name, [...medians.map((time) => time.toFixed(1)), `${(last / first).toFixed(2)}×`, p99.toFixed(1)]),
    );
  }
}

/** The first decision for "no" after a restart, when the ledger and what the stages know of events are made anew. */
export async function restartBench(): Promise<void> {
  console.log(
    '\nThe first decision for "no" after a restart, on a folded view; then the next one. Unit: ms of CPU, median of 5',
  );
  console.log(
    row(
      '',
      lengths.flatMap((length) => [`${length / 1_000} k events`, 'the next']),
    ),
  );
  for (const [name, create] of Object.entries(idle)) {
    if (!name.startsWith('priced')) continue;
    const cells: string[] = [];
    for (const length of lengths) {
      const [first, next]: [number[], number[]] = [[], []];
      for (let run = 0; run < 6; run++) {
        const projection = new ViewProjection();
        for (const event of ordinaryLog(length, 200)) projection.append(event);
        projection.view.tokens();
        const condenser = create();
        for (const times of [first, next]) {
          const start = cpuClock();
          await condenser.condense(projection.view, {});
          // The first run is a warm-up of the engine.
          if (run > 0) times.push(cpuClock() - start);
        }
      }
      for (const times of [first, next])
        cells.push(
          at(
            times.sort((a, b) => a - b),
            0.5,
          ).toFixed(2),
        );
    }
    console.log(row(name, cells));
  }
}

/** Every decision to condense in a run of 10,000 events. */
export async function steadyBench(only = ''): Promise<void> {
  console.log(
    '\nEvery decision for "yes" while 10,000 events are appended, at the defaults, made and folded. Unit: ms, warm',
  );
  console.log(row('', ['decisions', 'min', 'p50', 'p99', 'longest']));
  for (const [name, create] of Object.entries(steady)) {
    if (!name.includes(only)) continue;
    for (let decisions = 0; decisions < warmDecisions;) decisions += (await timesOfRun(create())).length;
    // Of a hundred decisions the 99th percentile would be the worst.
    const times: number[] = [];
    while (times.length < countedDecisions) times.push(...(await timesOfRun(create())));
    times.sort((a, b) => a - b);
    const cells = [at(times, 0), at(times, 0.5), at(times, 0.99), times.at(-1) ?? NaN].map((time) => time.toFixed(2));
    console.log(row(name, [String(times.length), ...cells]));
  }
}

/** The durations of all decisions to condense in a run. Unit: milliseconds. */
async function timesOfRun(condenser: Condenser): Promise<readonly number[]> {
  const projection = new ViewProjection();
  const asksItself = condenser.name !== 'conversationWindow';
  const times: number[] = [];
  for (const [index, event] of eventsOfLog(10_000).entries()) {
    projection.append(event);
    if (!asksItself && index % 100 === 99) projection.append(createEvent('condensation-request', {}));
    const { view } = projection;
    const elapsed = stopwatch();
    const result = await condenser.condense(view, { report: () => {} });
    if (result === view) continue;
    if (isCondensation(result)) projection.append(result);
    const next = isCondensation(result) ? projection.view : result;
    next.cutPoints.atOrBefore(next.events.length);
    times.push(elapsed());
  }
  return times;
}

/**
 * A decision to condense: making the condensation, folding it and taking the view. In a run that calls the condenser at each
 * step, so that what it remembers of events is what it would remember. The first one of a run is counted apart.
 */
export async function actingBench(only = ''): Promise<void> {
  console.log('\nA decision for "yes" on half of the events, made and folded. Unit: ms, warm; 10 k: min, p50, p99');
  console.log(
    row('', ['1 k p50', '10 k min', '10 k p50', '10 k p99', 'the first', '40 k p50', '100 k p50', '40 k / 10 k']),
  );
  for (const [name, run] of Object.entries(acting)) {
    if (!name.includes(only)) continue;
    const cells: string[] = [];
    const medians = new Map<number, number>();
    for (let decisions = 0; decisions < warmDecisions / 2;) decisions += (await timesOfActing(run, 1_000)).length;
    for (const [length, runs] of actingRuns) {
      const first: number[] = [];
      const later: number[] = [];
      for (let count = 0; count < runs; count++) {
        const times = await timesOfActing(run, length);
        // The first run is a warm-up of the engine.
        if (count > 0 || runs === 1) later.push(...times.slice(1));
        if (count > 0) first.push(...times.slice(0, 1));
      }
      for (const times of [first, later]) times.sort((a, b) => a - b);
      medians.set(length, at(later, 0.5));
      const shown =
        length === 10_000 ? [at(later, 0), at(later, 0.5), at(later, 0.99), at(first, 0.5)] : [at(later, 0.5)];
      cells.push(...shown.map((time) => time.toFixed(2)));
    }
    cells.push(`${((medians.get(40_000) ?? NaN) / (medians.get(10_000) ?? NaN)).toFixed(1)}×`);
    console.log(row(name, cells));
  }
}

/** The durations of all decisions to condense in a run, in order. Unit: milliseconds. */
async function timesOfActing(
  { create, everyStep = false, onRequest = false }: Acting,
  length: number,
): Promise<number[]> {
  const condenser = create(length);
  const total = everyStep ? length + 400 : length * 3;
  const projection = new ViewProjection();
  const times: number[] = [];
  for (const [index, event] of eventsOfLog(total).entries()) {
    projection.append(event);
    // A step appends a call and its result.
    if (index % 2 === 0 || (everyStep && index < length - 40)) continue;
    if (onRequest && projection.view.events.length >= length) {
      projection.append(createEvent('condensation-request', {}));
    }
    const { view } = projection;
    // A host measures and renders the view at each step, so these are known.
    view.tokens();
    view.indexOf(event.id);
    const elapsed = stopwatch();
    const result = await condenser.condense(view, { report: () => {} });
    if (result === view) continue;
    if (isCondensation(result)) projection.append(result);
    const next = isCondensation(result) ? projection.view : result;
    next.cutPoints.atOrBefore(next.events.length);
    times.push(elapsed());
  }
  if (times.length < 2) throw new Error(`${condenser.name} decided otherwise`);
  return times;
}

/** The durations of all decisions, without waiting for other programs, sorted. Unit: milliseconds. */
async function timesOf(condenser: Condenser, length: number): Promise<readonly number[]> {
  const log = ordinaryLog(length + 2 * (rounds + warmUps) + 2, 200);
  const projection = new ViewProjection();
  let next = 0;
  for (; next < length; next++) projection.append(log[next] as Event);
  const times: number[] = [];
  for (let round = 0; round < rounds + warmUps; round++) {
    if (round % 50 === 0) globalThis.gc?.();
    const elapsed = stopwatch();
    projection.append(log[next++] as Event);
    projection.append(log[next++] as Event);
    const { view } = projection;
    const result = await condenser.condense(view, { report: () => {} });
    const time = elapsed();
    if (round >= warmUps) times.push(time);
    if (result !== view) throw new Error(`${condenser.name} decided otherwise`);
  }
  return times.sort((a, b) => a - b);
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

function row(name: string, cells: readonly string[]): string {
  return `  ${name.padEnd(33)}${cells.map((cell) => cell.padStart(13)).join('')}`;
}
