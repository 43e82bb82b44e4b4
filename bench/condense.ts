import {
  amortizedForgettingCondenser,
  browserOutputCondenser,
  conversationWindowCondenser,
  digestCondenser,
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
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { isCondensation, ViewProjection } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { codingLog } from './coding-log.js';
import { ordinaryLog } from './histories.js';
import type { LogOf } from './histories.js';
import { collect, cpuOf, longestPause, median, stopwatch } from './measure.js';
import type { Row } from './measure.js';

const never = 1_000_000_000;
const llm = scriptedLLM({ script: () => '{"ids":[10]}', contextWindow: never });

/** Every condenser, with options under which it has nothing to do. */
const idle: Readonly<Record<string, () => Condenser>> = {
  observationMasking: () => observationMaskingCondenser({ attentionWindow: 24, minSavedTokens: never }),
  browserOutput: () => browserOutputCondenser(),
  amortizedForgetting: () => amortizedForgettingCondenser({ maxSize: never }),
  conversationWindow: () => conversationWindowCondenser(),
  digest: () => digestCondenser({ maxSize: never }),
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
  priced: () => pricedCondenser({ prices: { read: 0, write: 1.25 } }),
};

/** Condensers that act on about half of so many events. */
const acting: Readonly<Record<string, (length: number) => Condenser>> = {
  recentEvents: (length) => recentEventsCondenser({ maxSize: Math.floor(length / 2) }),
  observationMasking: () => observationMaskingCondenser(),
  conversationWindow: () => conversationWindowCondenser(),
  amortizedForgetting: (length) => amortizedForgettingCondenser({ maxSize: length - 1 }),
  digest: (length) => digestCondenser({ maxSize: length - 1 }),
  extractiveSummary: (length) => extractiveSummaryCondenser({ maxSize: length - 1 }),
  'llmSummarizing, its prompt': (length) => llmSummarizingCondenser({ llm, maxSize: length - 1 }),
  'llmAttention, its prompt': (length) => llmAttentionCondenser({ llm, maxSize: length - 1 }),
};

const sizes = [1_000, 10_000];
const [steps, beginnings] = [30, 9];
const log = (length: number): readonly Event[] => ordinaryLog(length, 1_000).map(parseEvent);

/** Measures "no" of each condenser at a further step, and "yes" on half of a log of which nothing is known. */
export async function decisions(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const size of sizes) {
    for (const [name, create] of Object.entries(idle)) {
      const figure = await timeOfNo(create(), log(size + 4 * steps), size);
      rows.push({ what: `a decision for "no", ${name}, ${size.toLocaleString('en-GB')}`, figure, unit: 'ms' });
    }
  }
  for (const size of sizes) {
    for (const [name, create] of Object.entries(acting)) {
      const times: number[] = [];
      for (let round = 0; round < beginnings; round++) {
        times.push(await timeOfYes(create(size), log(size)));
      }
      const what = `a decision for "yes" on half, ${name}, ${size.toLocaleString('en-GB')}`;
      rows.push({ what, figure: median(times), unit: 'ms' });
    }
  }
  return rows;
}

async function timeOfNo(condenser: Condenser, events: readonly Event[], size: number): Promise<number> {
  const projection = folded(events.slice(0, size));
  const times: number[] = [];
  for (let at = size; at < events.length; at += 2) {
    for (const event of events.slice(at, at + 2)) projection.append(event);
    const { view } = projection;
    const elapsed = stopwatch();
    const result = await condenser.condense(view, { report: () => {} });
    times.push(elapsed());
    if (isCondensation(result)) throw new Error(`${condenser.name} decided otherwise`);
  }
  return median(times.slice(-steps));
}

async function timeOfYes(condenser: Condenser, events: readonly Event[]): Promise<number> {
  const projection = folded(events);
  if (condenser.name === 'conversationWindow') projection.append(createEvent('condensation-request', {}));
  const { view } = projection;
  collect();
  return cpuOf(async () => {
    const result = await condenser.condense(view, { report: () => {} });
    if (result === view) throw new Error(`${condenser.name} decided otherwise`);
    if (isCondensation(result)) projection.append(result);
    return projection.view;
  });
}

/** The size of the part to condense. Unit: tokens. */
const condensedTokens = 100_000;

/**
 * Measures a condensation: made, folded, and the view taken. Of a log of which nothing is known before, and of one whose events the
 * condenser has been shown one after the other. Of the sessions that are measured, and of a made log of code.
 */
export async function firstCondensation(logOf: LogOf): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const [name, makeLog] of [['', logOf] as const, [', code', codingLog] as const]) {
    const length = eventsOfTokens(makeLog(5_000).events, condensedTokens);
    const condensing = `condensing ${condensedTokens.toLocaleString('en-GB')} tokens by priced${name}`;
    for (const known of ['nothing known before', 'shown step by step'] as const) {
      const [times, longest]: [number[], number[]] = [[], []];
      for (let round = 0; round < 3 * beginnings; round++) {
        const { events } = makeLog(length);
        const projection = known === 'shown step by step' ? await shown(events) : folded(events);
        collect();
        // To watch for pauses takes time of its own.
        if (round % 3 === 0) longest.push(await longestPause(() => condensed(projection)));
        else times.push(await cpuOf(() => condensed(projection)));
      }
      const limits = known === 'shown step by step' ? ([30, 20] as const) : ([300, 150] as const);
      rows.push({ what: `${condensing}, ${known}, median`, figure: median(times), unit: 'ms', limits });
      rows.push({
        what: `longest pause of ${condensing}, ${known}`,
        figure: median(longest),
        unit: 'ms',
        limits: [20],
      });
    }
  }
  return rows;
}

/** Returns a log that a condenser was asked about before each step, and had not to act. */
async function shown(events: readonly Event[]): Promise<ViewProjection> {
  const waiting = pricedCondenser({ prices: { read: 0, write: 1.25 } });
  const projection = new ViewProjection();
  for (const event of events) {
    projection.append(event);
    await waiting.condense(projection.view, {});
  }
  return projection;
}

async function condensed(projection: ViewProjection): Promise<unknown> {
  const result = await pricedCondenser({ prices: { read: 1, write: 1.25 } }).condense(projection.view, {});
  if (!isCondensation(result)) throw new Error('nothing was condensed');
  projection.append(result);
  return projection.view;
}

/** Returns the number of events that make a view of so many tokens. */
function eventsOfTokens(events: readonly Event[], tokens: number): number {
  const projection = new ViewProjection();
  for (const [index, event] of events.entries()) {
    projection.append(event);
    if (projection.view.tokens() >= tokens) return index + 1;
  }
  throw new Error(`the log has no ${tokens} tokens`);
}

function folded(events: readonly Event[]): ViewProjection {
  const projection = new ViewProjection();
  for (const event of events) projection.append(event);
  return projection;
}
